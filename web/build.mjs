// Builds dist/report.html: page, style and script in one file that needs no
// network, with places for the report's JSON and its
// timeline.
//
// The page forbids itself everything but its own script and style, each named
// by its hash: whatever a profiled program called its ranges, none of it runs.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const placeholders = ["/*REPORT*/", "/*TIMELINE*/"];
const limit = 400_000; // bytes

async function bundle(entry) {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2020",
    charset: "utf8",
    legalComments: "none",
  });
  return result.outputFiles[0].text.trimEnd();
}

const sha256 = (text) =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const script = await bundle("src/main.ts");
const style = await bundle("src/style.css");
const values = {
  SCRIPT: script,
  STYLE: style,
  POLICY:
    `default-src 'none'; script-src ${sha256(script)}; ` +
    `style-src ${sha256(style)}; base-uri 'none'; form-action 'none'`,
};
for (const [name, value] of Object.entries({ SCRIPT: script, STYLE: style })) {
  if (/<\/(script|style)|<!--/i.test(value) || placeholders.some((p) => value.includes(p))) {
    throw new Error(`${name} would end its own element`);
  }
}

const html = readFileSync("src/page.html", "utf8").replace(
  /%(SCRIPT|STYLE|POLICY)%/g,
  (_, name) => values[name],
);
for (const placeholder of placeholders) {
  if (html.split(placeholder).length !== 2) {
    throw new Error(`the page must have ${placeholder} exactly once`);
  }
}
if (Buffer.byteLength(html) > limit) {
  throw new Error(`the page is larger than ${limit} bytes`);
}
mkdirSync("dist", { recursive: true });
writeFileSync("dist/report.html", html);
console.log(`dist/report.html: ${Buffer.byteLength(html)} bytes`);
