// The colours of both themes: text has the contrast to its background that WCAG
// 2.1 AA asks for (1.4.3: 4.5 to 1), and so have graphics and controls (1.4.11:
// 3 to 1).

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const css = readFileSync("src/style.css", "utf8");
const ofDiff = readFileSync("src/diff.css", "utf8");

// The variables of the blocks that make a theme, later ones over earlier.
function variables(selectors: string[], css: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const selector of selectors) {
    const at = css.indexOf(`${selector} {`);
    assert.ok(at >= 0, selector);
    const body = css.slice(at, css.indexOf("}", at));
    for (const [, name, value] of body.matchAll(/(--[\w-]+):\s*(#[0-9a-f]{6})/g)) {
      found.set(name!, value!);
    }
  }
  return found;
}

// The colours of changes are the same in all.
const theme = (selectors: string[]) =>
  new Map([...variables(selectors, css), ...variables([":root"], ofDiff)]);
const themes = {
  light: theme([":root"]),
  dark: theme([":root", ':root[data-theme="dark"]']),
  "dark by itself": theme([":root", ':root:not([data-theme="light"])']),
};

function luminance(color: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

export function contrast(a: string, b: string): number {
  const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
  return (x! + 0.05) / (y! + 0.05);
}

const fills = [
  ...Array.from({ length: 8 }, (_, i) => `--c${i}`),
  ...Array.from({ length: 6 }, (_, i) => `--h${i}`),
  "--memory",
  "--compute",
  "--latency",
  "--launch",
  ...[1, 2, 3].flatMap((i) => [`--less${i}`, `--more${i}`]),
  "--change-none",
  "--change-new",
];

// Least contrast, foreground, background.
const pairs: [number, string[], string[]][] = [
  [4.5, ["--ink", "--muted", "--warn"], ["--paper", "--panel", "--hover", "--selected"]],
  [4.5, ["--ink"], ["--mark"]],
  [4.5, ["--accent"], ["--paper", "--panel", "--hover"]],
  [4.5, ["--on-color"], fills],
  [3, ["--control", "--accent"], ["--paper", "--panel"]],
  [3, ["--heat-low", "--heat-high"], ["--heat-mid", "--panel"]],
];

for (const [theme, colors] of Object.entries(themes)) {
  test(`Contrast is that of WCAG AA, ${theme}`, () => {
    for (const [least, seen, on] of pairs) {
      for (const front of seen) {
        for (const back of on) {
          const ratio = contrast(colors.get(front)!, colors.get(back)!);
          assert.ok(ratio >= least, `${front} on ${back}: ${ratio.toFixed(2)}, not ${least}`);
        }
      }
    }
  });
}

test("Contrast is computed as WCAG has it", () => {
  assert.equal(contrast("#000000", "#ffffff"), 21);
  assert.equal(contrast("#767676", "#ffffff").toFixed(2), "4.54");
});

test("A theme that is chosen is the one that comes by itself", () => {
  assert.deepEqual(themes.dark, themes["dark by itself"]);
});
