// The official client asks a server about recorded programs, each with one
// planted problem: client.mjs RANGEFINDER FOLDER ANSWERS PROGRAM…
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [rangefinder, folder, answersFile, ...programs] = process.argv.slice(2);

/** By program: its region, and the ids of causes that are right. */
const answers = new Map(
  readFileSync(answersFile, "utf8")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"))
    .map((line) => line.split("\t"))
    .map(([program, region, right]) => [program, { region, right: right.split(",") }]),
);

async function connect(options) {
  const client = new Client({ name: "rangefinder-test", version: "1" });
  await client.connect(
    new StdioClientTransport({ command: rangefinder, args: ["mcp", ...options], stderr: "inherit" }),
  );
  return client;
}

async function ask(client, name, args, options) {
  const answer = await client.callTool({ name, arguments: args }, undefined, options);
  return { text: answer.content.map((part) => part.text).join(""), failed: answer.isError === true };
}

const client = await connect([folder]);
assert.equal(client.getServerVersion().name, "rangefinder");
await client.ping();
const tools = (await client.listTools()).tools.map((tool) => tool.name);
assert.deepEqual(tools, ["list_runs", "explain", "show_region", "explain_number", "diff"]);

// One call each: the region and the cause.
for (const program of programs) {
  const { text, failed } = await ask(client, "explain", { run: `${program}.rftrace.zst`, budget: 500 });
  assert.equal(failed, false, text);
  assert.ok(Buffer.byteLength(text) <= 4 * 500, `${program}: ${Buffer.byteLength(text)} bytes`);
  const first = text.split("## Causes")[1].split("\n- ")[1];
  const { region, right } = answers.get(program);
  const cause = /cause=(\w+) region_id=\d+ certain=(\w+) saves_ns=\d+/.exec(first);
  assert.ok(right.includes(cause?.[1]), `${program}: ${right} is not what ${first} says`);
  assert.ok(first.includes(`${region}:`), `${program}: ${region} is not in ${first}`);
  console.log(`${program}: ${cause[1]} of ${region}, certain ${cause[2]}`);
}

// The other tools.
const [run] = programs.map((program) => `${program}.rftrace.zst`);
const { text: list } = await ask(client, "list_runs", {});
assert.ok(list.includes(run), list);
const { region } = answers.get(programs[0]);
const shown = await ask(client, "show_region", { run, region });
assert.match(shown.text, new RegExp(`^# Why (.* › )?${region} is slow\n`));
const number = await ask(client, "explain_number", { run, region, metric: "wall" });
assert.ok(number.text.includes("of wall time in"), number.text);
const diff = await ask(client, "diff", { base: run, new: [run] });
assert.ok(diff.text.startsWith("# What changed"), diff.text);
assert.ok((await ask(client, "explain", { run: "/etc/passwd" })).failed);
assert.ok((await ask(client, "explain", { run: "nobody.rftrace" })).failed);
await assert.rejects(client.callTool({ name: "explain", arguments: { run: 7 } }), /run: expected/);
await assert.rejects(client.callTool({ name: "profile", arguments: { command: ["true"] } }), /no such tool/);
await client.close();

// With the switch, a program can run, and a client can call it off.
const runner = await connect([folder, "--allow-run"]);
assert.ok((await runner.listTools()).tools.some((tool) => tool.name === "profile"));
const stop = new AbortController();
let progress = 0;
await assert.rejects(
  runner.callTool({ name: "profile", arguments: { command: ["sleep", "600"] } }, undefined, {
    signal: stop.signal,
    onprogress: () => {
      progress += 1;
      stop.abort("enough");
    },
  }),
  /enough/,
);
assert.ok(progress > 0);
await runner.ping();
await runner.close();
console.log("all answers are right");
