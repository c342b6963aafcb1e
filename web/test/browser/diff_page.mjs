// Pages of comparisons in a real browser: node diff_page.mjs FILE... Prints how
// long each takes to open; fails where it throws, cuts what should be seen, or
// makes elements by the row. Times are printed and never judged.

import { strict as assert } from "node:assert";
import { basename } from "node:path";
import { Chromium } from "./chromium.mjs";

const mostRows = 120; // elements of the table's rows, however many regions

async function opens(browser, file) {
  const before = performance.now();
  await browser.go(file);
  const wall = performance.now() - before;
  const facts = await browser.evaluate(`({
    shown: performance.getEntriesByName("shown")[0]?.startTime,
    rows: document.querySelectorAll(".tree-row").length,
    regions: Number(document.querySelector(".tree-body").getAttribute("aria-rowcount")),
    parts: document.querySelectorAll(".parts li").length,
    blocks: document.querySelectorAll(".block").length,
    status: document.querySelector(".tree [role=status]").textContent,
  })`);
  console.log(`  opened in ${wall.toFixed(0)} ms, first shown after ${facts.shown.toFixed(0)} ms; ${facts.status}, ${facts.regions} rows, ${facts.rows} of them drawn, ${facts.blocks} blocks, ${facts.parts} parts`);
  assert.ok(facts.rows > 0 && facts.rows <= mostRows, `${facts.rows} rows are drawn`);
  assert.ok(facts.blocks > 0);
}

// Nothing of a head or a number is wider than its column, in either theme.
async function cutsNothing(browser, file) {
  for (const [width, theme] of [[1600, "light"], [1400, "dark"], [600, "light"]]) {
    await browser.resize(width, 900);
    await browser.theme(theme);
    await browser.go(file);
    const { cut, wider } = await browser.evaluate(`({
      cut: [...document.querySelectorAll(".tree-header button, .tree-row > .number, .parts .number, .tiles dd")]
        .filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent).slice(0, 5),
      wider: document.documentElement.scrollWidth > innerWidth,
    })`);
    assert.deepEqual(cut, [], `cut at ${width}`);
    assert.ok(!wider, `the page is wider than a window of ${width}`);
  }
  await browser.resize(1400, 900);
}

async function keepsWhatChanged(browser, file) {
  await browser.go(file);
  const { before, after, hash } = await browser.evaluate(`(() => {
    const count = () => Number(document.querySelector(".tree-body").getAttribute("aria-rowcount"));
    const press = (name) => [...document.querySelectorAll("button")].find((b) => b.textContent === name).click();
    press("Expand");
    const before = count();
    document.querySelector(".only input").click();
    return { before, after: count(), hash: location.hash };
  })()`);
  assert.ok(after <= before, `${after} of ${before} rows changed`);
  assert.match(hash, /only=changed/);
}

const files = process.argv.slice(2);
const browser = await Chromium.open(1400, 900);
try {
  for (const file of files) {
    console.log(`${basename(file)}:`);
    await opens(browser, file);
    await cutsNothing(browser, file);
    await keepsWhatChanged(browser, file);
    assert.deepEqual(browser.errors, [], "the page threw");
  }
} finally {
  await browser.close();
}
