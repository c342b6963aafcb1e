// Builds dist/report.html and dist/diff.html: page, style and script in one file
// that needs no network, with places for the JSON that it shows.
//
// A page forbids itself everything but its own script and style, each named
// by its hash: whatever a profiled program called its ranges, none of it runs.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const pages = [
  { out: "report.html", page: "page.html", script: "main.ts", style: "style.css", places: ["/*REPORT*/", "/*COLUMNS*/", "/*TIMELINE*/"] },
  { out: "diff.html", page: "diff.html", script: "diff_main.ts", style: "diff.css", places: ["/*DIFF*/"] },
];
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

async function make({ out, page, script: program, style: sheet, places }) {
  const script = await bundle(`src/${program}`);
  const style = await bundle(`src/${sheet}`);
  const values = {
    SCRIPT: script,
    STYLE: style,
    POLICY:
      `default-src 'none'; script-src ${sha256(script)}; ` +
      `style-src ${sha256(style)}; base-uri 'none'; form-action 'none'`,
  };
  for (const [name, value] of Object.entries({ SCRIPT: script, STYLE: style })) {
    if (/<\/(script|style)|<!--/i.test(value) || places.some((p) => value.includes(p))) {
      throw new Error(`${name} of ${out} would end its own element`);
    }
  }
  const html = readFileSync(`src/${page}`, "utf8").replace(
    /%(SCRIPT|STYLE|POLICY)%/g,
    (_, name) => values[name],
  );
  for (const place of places) {
    if (html.split(place).length !== 2) {
      throw new Error(`${out} must have ${place} exactly once`);
    }
  }
  if (Buffer.byteLength(html) > limit) {
    throw new Error(`${out} is larger than ${limit} bytes`);
  }
  writeFileSync(`dist/${out}`, html);
  console.log(`dist/${out}: ${Buffer.byteLength(html)} bytes`);
}

mkdirSync("dist", { recursive: true });
for (const page of pages) await make(page);
