// A page in a real browser: node page.mjs FILE... Prints how long it takes to
// open and how long frames are while it scrolls and zooms; fails where it
// throws, cuts what should be seen, or makes elements by the row. Times are
// printed and never judged: machines differ.

import { strict as assert } from "node:assert";
import { basename, dirname } from "node:path";
import { Chromium } from "./chromium.mjs";

const mostRows = 120; // elements of the tree's rows, however many regions

// Runs in the page: how long frames take while `step` is called in each.
const frames = (step, count) => `new Promise((resolve) => {
  const times = [];
  let last = 0, i = 0;
  const frame = (now) => {
    if (last) times.push(now - last);
    last = now;
    if (i === ${count}) return resolve(times.sort((a, b) => a - b));
    (${step})(i++);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})`;

const ms = (value) => `${value.toFixed(1)} ms`;
const frameText = (times) =>
  `median ${ms(times[times.length >> 1])}, 95 % ${ms(times[Math.floor(times.length * 0.95)])}, worst ${ms(times.at(-1))}`;

// What the page's own thread worked, in ms of processor time.
async function worked(browser) {
  const { metrics } = await browser.send("Performance.getMetrics");
  return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
}

// Frames as they came, and what each cost: the machine may have other work.
async function measured(browser, step, count) {
  const before = await worked(browser);
  const times = await browser.evaluate(frames(step, count));
  const each = ((await worked(browser)) - before) / count;
  return `frames ${frameText(times)}; ${ms(each)} of work a frame`;
}

async function opens(browser, file) {
  const before = performance.now();
  await browser.go(file);
  const wall = performance.now() - before;
  const work = await worked(browser);
  const facts = await browser.evaluate(`({
    ready: performance.getEntriesByName("ready")[0]?.startTime,
    shown: performance.getEntriesByName("shown")[0]?.startTime,
    rows: document.querySelectorAll(".tree-row").length,
    regions: Number(document.querySelector(".tree-body").getAttribute("aria-rowcount")),
    elements: document.querySelectorAll("*").length,
  })`);
  console.log(`  opened in ${ms(wall)}, ${ms(work)} of work: first shown after ${ms(facts.shown)}, complete after ${ms(facts.ready)}; ${facts.regions} rows, ${facts.rows} of them drawn, ${facts.elements} elements`);
  assert.ok(facts.rows > 0 && facts.rows <= mostRows, `${facts.rows} rows are drawn`);
}

async function scrolls(browser) {
  await browser.evaluate(`[...document.querySelectorAll("button")].find((b) => b.textContent === "Expand").click()`);
  const times = await measured(
    browser,
    `(i) => { document.querySelector(".tree-body").scrollTop = i * 137; }`,
    120,
  );
  const rows = await browser.evaluate(`document.querySelectorAll(".tree-row").length`);
  console.log(`  scrolls: ${times}; ${rows} rows drawn`);
  assert.ok(rows <= mostRows, `${rows} rows are drawn`);
  await browser.evaluate(`document.querySelector(".tree-body").scrollTop = 0`);
}

// Nothing of a head or a number is wider than its column.
async function cutsNothing(browser, file) {
  for (const width of [1400, 1000, 600]) {
    await browser.resize(width, 900);
    await browser.go(file);
    const { cut, wider, below } = await browser.evaluate(`(() => {
      const cut = [...document.querySelectorAll(".tree-header button, .tree-row > .number, .bar-text")]
        .filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent).slice(0, 5);
      const [tree, detail] = [".tree", ".detail"].map((s) => document.querySelector(s).getBoundingClientRect());
      return { cut, wider: document.documentElement.scrollWidth > innerWidth, below: detail.top >= tree.bottom };
    })()`);
    assert.deepEqual(cut, [], `cut at ${width}`);
    assert.ok(!wider, `the page is wider than a window of ${width}`);
    if (width === 600) assert.ok(below, "details lie below the table in a narrow window");
  }
  await browser.resize(1400, 900);
}

// The first column stays where it is.
async function namesStay(browser, file) {
  await browser.resize(600, 900);
  await browser.go(file);
  const [before, after] = await browser.evaluate(`(() => {
    const left = () => document.querySelector(".tree-row > .name").getBoundingClientRect().left;
    const body = document.querySelector(".tree-body");
    const before = left();
    body.scrollLeft = 200;
    return [before, left()];
  })()`);
  assert.equal(before, after);
  await browser.resize(1400, 900);
}

async function keysWork(browser, file) {
  await browser.go(file);
  const state = () => browser.evaluate(`({
    open: document.querySelector(".tree-row.selected")?.getAttribute("aria-expanded"),
    row: document.querySelector(".tree-row.selected .label")?.textContent,
    focus: document.activeElement?.className,
    outline: getComputedStyle(document.activeElement).outlineStyle,
    rows: document.querySelector(".tree-body").getAttribute("aria-rowcount"),
  })`);
  await browser.key("/");
  await browser.key("Enter");
  await browser.key("Home");
  const first = await state();
  assert.equal(first.focus, "tree-body");
  assert.notEqual(first.outline, "none", "the focus is visible");
  await browser.key("ArrowDown");
  assert.notEqual((await state()).row, first.row);
  await browser.key("Home");
  if (first.open === null || first.open === undefined) return;
  await browser.key(" ");
  assert.notEqual((await state()).open, first.open, "space opens and closes");
  await browser.key("Enter");
  assert.equal((await state()).rows, first.rows);
}

async function timelineWorks(browser, file) {
  await browser.go(file);
  const box = await browser.evaluate(`(() => {
    // The lanes may be taller than the window.
    const shown = document.querySelector(".timeline-box");
    if (!shown) return null;
    shown.scrollIntoView({ block: "center" });
    const { left, top, width, height } = shown.getBoundingClientRect();
    return { left, top, width, height };
  })()`);
  if (!box) {
    console.log("  no timeline");
    return;
  }
  const status = () => browser.evaluate(`document.querySelector(".timeline [role=status]").textContent`);
  const whole = await status();
  const y = box.top + Math.min(box.height, 400) / 2;
  const times = await measured(
    browser,
    `(i) => document.querySelector(".timeline-box").dispatchEvent(new WheelEvent("wheel",
      { deltaY: i < 40 ? -1 : 1, clientX: ${box.left + box.width / 2}, clientY: ${y}, cancelable: true }))`,
    80,
  );
  console.log(`  zooms the timeline: ${times}`);
  await browser.evaluate(`[...document.querySelectorAll(".timeline button")].find((b) => b.textContent === "All").click()`);
  // A tenth of the run, by dragging over it.
  const room = box.width - 132;
  await browser.drag(box.left + 132 + 0.1 * room, box.left + 132 + 0.2 * room, y);
  const span = await browser.evaluate(`({
    hash: location.hash,
    bar: document.querySelector(".span-bar").textContent,
    heads: [...document.querySelectorAll(".tree-header button")].map((b) => b.textContent).join("|"),
  })`);
  assert.match(span.hash, /span=\d+-\d+/);
  assert.match(span.bar, /^Chart and tables show/);
  assert.match(span.heads, /in the span/);
  await browser.go(file, span.hash);
  assert.equal(await browser.evaluate(`document.querySelector(".span-bar").textContent`), span.bar);
  await browser.evaluate(`document.querySelector(".timeline-box").focus()`);
  await browser.key("Escape");
  assert.equal(await browser.evaluate(`document.querySelector(".span-bar").hidden`), true);
  await browser.key("+");
  await browser.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`);
  assert.notEqual(await status(), whole, "plus zooms");
}

// The counters above the threads, where a report has samples.
async function drawsCounters(browser, file) {
  await browser.go(file);
  const frame = `await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));`;
  const choose = (value) => browser.evaluate(`(async () => {
    const select = document.querySelector(".timeline select");
    if (!select) return null;
    if (${JSON.stringify(value)} !== null) {
      select.value = ${JSON.stringify(value)};
      select.dispatchEvent(new Event("change"));
    }
    ${frame}
    const canvas = document.querySelector(".timeline .lanes");
    // How much of the first line is painted: gaps are blank.
    const { data } = canvas.getContext("2d").getImageData(132, 25, canvas.width - 132, 1);
    const painted = data.filter((byte, i) => i % 4 === 3 && byte > 0).length / (canvas.width - 132);
    return { value: select.value, height: canvas.height, painted, hash: location.hash,
      status: document.querySelector(".timeline [role=status]").textContent };
  })()`);
  const usual = await choose(null);
  if (!usual) return;
  assert.equal(usual.value, "");
  assert.match(usual.status, /DRAM traffic mean [\d.]+ TB\/s · SM activity mean [\d.]+ %/);
  assert.ok(usual.painted > 0.9 && usual.painted < 0.99, `${usual.painted} of the line is painted`);
  const none = await choose("none");
  const all = await choose("all");
  assert.ok(none.height < usual.height && usual.height < all.height, "lines come and go");
  await browser.go(file, all.hash);
  assert.equal((await choose(null)).value, "all", "the choice is in the address");
  await browser.evaluate(`(() => {
    const box = document.querySelector(".timeline-box");
    box.scrollIntoView({ block: "center" });
    box.scrollTop = 0;
  })()`);
  const { left, top } = await browser.evaluate(`document.querySelector(".timeline .lanes").getBoundingClientRect().toJSON()`);
  await browser.mouse("mouseMoved", left + 200, top + 20);
  const tip = await browser.evaluate(`document.querySelector(".tip").textContent`);
  assert.match(tip, /^dram__bytes\.sum[\d.]+ [GTM]B\/s/);
  console.log(`  draws counters: ${usual.status}`);
}

// The tab of ranks, where a report has some: its heat map, keys and address.
async function showsRanks(browser, file) {
  await browser.go(file);
  const tab = await browser.evaluate(`[...document.querySelectorAll(".tabs button")].at(-1)?.textContent ?? null`);
  if (tab === null) return;
  const drawn = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`;
  const before = await worked(browser);
  const opened = await browser.evaluate(`(async () => {
    const from = performance.now();
    [...document.querySelectorAll(".tabs button")].at(-1).click();
    while (!document.querySelector(".heat")) await new Promise((done) => setTimeout(done, 1));
    await ${drawn};
    return performance.now() - from;
  })()`);
  console.log(`  shows ${tab}: drawn after ${ms(opened)}, ${ms((await worked(browser)) - before)} of work`);
  const facts = () => browser.evaluate(`(() => {
    const canvas = document.querySelector(".heat");
    const { data } = canvas.getContext("2d").getImageData(canvas.width >> 2, 18, canvas.width >> 1, 18);
    const colors = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3]) colors.add(data[i] + "," + data[i + 1] + "," + data[i + 2]);
    return { colors: colors.size, wider: document.documentElement.scrollWidth > innerWidth, hash: location.hash,
      late: document.querySelector(".late").textContent,
      rows: document.querySelectorAll(".ranks table[aria-label='All ranks'] tbody tr").length,
      status: document.querySelector(".ranks [role=status]").textContent,
      detail: document.querySelector(".rank-detail h3")?.textContent ?? "" };
  })()`);
  const first = await facts();
  assert.ok(first.colors > 1, "the heat map is drawn");
  assert.ok(first.rows > 0 && first.rows <= 50, `${first.rows} rows of ranks`);
  await browser.evaluate(`document.querySelector(".heat-box").focus()`);
  await browser.key("ArrowRight");
  await browser.key("ArrowDown");
  assert.match((await facts()).status, /: /, "the cell is said");
  await browser.key("Enter");
  const chosen = await facts();
  assert.match(chosen.hash, /tab=ranks&record=\d+/);
  assert.match(chosen.detail, /^(Rank|Process) /);
  for (const width of [1000, 600]) {
    await browser.resize(width, 900);
    await browser.evaluate(drawn);
    assert.ok(!(await facts()).wider, `ranks are wider than a window of ${width}`);
  }
  await browser.resize(1400, 900);
  await browser.go(file, chosen.hash);
  await browser.evaluate(drawn);
  const again = await facts();
  assert.equal(again.detail, chosen.detail, "the rank is in the address");
  // The other theme has other colours.
  const pixel = `(() => { const c = document.querySelector(".heat"); return [...c.getContext("2d").getImageData(250, 25, 1, 1).data].join(); })()`;
  const light = await browser.evaluate(pixel);
  await browser.evaluate(`document.querySelector("header button").click()`);
  await browser.evaluate(drawn);
  assert.notEqual(await browser.evaluate(pixel), light, "the theme is followed");
  console.log(`  says who is late: ${again.late}`);
}

async function prints(browser, file) {
  await browser.go(file);
  // Chromium tells the page of printing by the event alone.
  const rows = await browser.evaluate(`(() => {
    dispatchEvent(new Event("beforeprint"));
    const rows = document.querySelectorAll(".tree-row").length;
    dispatchEvent(new Event("afterprint"));
    return [rows, Number(document.querySelector(".tree-body").getAttribute("aria-rowcount"))];
  })()`);
  assert.equal(rows[0], Math.min(2000, rows[1]), "all rows are printed");
  const { data } = await browser.send("Page.printToPDF", { printBackground: true });
  const pdf = Buffer.from(data, "base64");
  assert.ok(pdf.subarray(0, 5).toString() === "%PDF-" && pdf.length > 10000);
}

const files = process.argv.slice(2);
const browser = await Chromium.open(1400, 900);
await browser.send("Performance.enable", { timeDomain: "threadTicks" });
try {
  for (const file of files) {
    console.log(`${basename(dirname(dirname(dirname(file))))}:`);
    await opens(browser, file);
    await scrolls(browser);
    await cutsNothing(browser, file);
    await namesStay(browser, file);
    await keysWork(browser, file);
    await timelineWorks(browser, file);
    await drawsCounters(browser, file);
    await showsRanks(browser, file);
    await prints(browser, file);
    assert.deepEqual(browser.errors, [], "the page threw");
  }
} finally {
  await browser.close();
}
