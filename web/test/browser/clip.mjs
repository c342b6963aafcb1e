// A picture of some sections of a page, for docs/cases: node clip.mjs FILE[#HASH]
// SELECTOR OUT.png [AT STEPS]. What the selector does not match is not in the
// picture. STEPS of the wheel zoom the timeline where AT (0 to 1) of it lies.

import { writeFileSync } from "node:fs";
import { deflateSync, inflateSync } from "node:zlib";
import { Chromium } from "./chromium.mjs";

const width = 920;
const margin = 12;

// The pixels of a PNG of 8 bits a channel, without its filters (RFC 2083, 6).
function pixels(png) {
  const parts = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const body = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(body);
  }
  const size = { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
  const channels = { 2: 3, 6: 4 }[png[25]];
  const row = size.width * channels;
  const raw = inflateSync(Buffer.concat(parts));
  const data = Buffer.alloc(row * size.height);
  for (let y = 0; y < size.height; ++y) {
    const filter = raw[y * (row + 1)];
    for (let x = 0; x < row; ++x) {
      const at = y * row + x;
      const left = x < channels ? 0 : data[at - channels];
      const above = y === 0 ? 0 : data[at - row];
      const corner = x < channels || y === 0 ? 0 : data[at - row - channels];
      const guess = [0, left, above, (left + above) >> 1, nearest(left, above, corner)][filter];
      data[at] = raw[at + y + 1] + guess;
    }
  }
  return { ...size, channels, data };
}

function nearest(left, above, corner) {
  const [a, b, c] = [above - corner, left - corner, left + above - 2 * corner].map(Math.abs);
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; ++bit) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function chunk(name, body) {
  const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(name, "latin1"), body, Buffer.alloc(4)]);
  bytes.writeUInt32BE(body.length);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4);
  return bytes;
}

// The same with its 256 most frequent colours, which takes a third of the bytes.
function small(png) {
  const { width, height, channels, data } = pixels(png);
  const counts = new Map();
  const color = (at) => (data[at] << 16) | (data[at + 1] << 8) | data[at + 2];
  for (let at = 0; at < data.length; at += channels) {
    counts.set(color(at), (counts.get(color(at)) ?? 0) + 1);
  }
  const palette = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 256).map(([rgb]) => rgb);
  const distance = (a, b) =>
    [16, 8, 0].reduce((sum, bits) => sum + (((a >> bits) & 255) - ((b >> bits) & 255)) ** 2, 0);
  const index = new Map(palette.map((rgb, i) => [rgb, i]));
  for (const rgb of counts.keys()) {
    if (index.has(rgb)) continue;
    let best = 0;
    for (let i = 1; i < palette.length; ++i) {
      if (distance(rgb, palette[i]) < distance(rgb, palette[best])) best = i;
    }
    index.set(rgb, best);
  }
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; ++y) {
    for (let x = 0; x < width; ++x) {
      rows[y * (width + 1) + 1 + x] = index.get(color((y * width + x) * channels));
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    png.subarray(0, 8),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flatMap((rgb) => [rgb >> 16, (rgb >> 8) & 255, rgb & 255]))),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

// The lanes begin behind their names, which take 132 pixels.
async function zoom(browser, at, steps) {
  await browser.evaluate(`(async () => {
    const box = document.querySelector(".timeline-box");
    const { left, top, width } = box.getBoundingClientRect();
    for (let i = 0; i < ${steps}; ++i) {
      box.dispatchEvent(new WheelEvent("wheel", { deltaY: -1, cancelable: true,
        clientX: left + 132 + ${at} * (width - 132), clientY: top + 60 }));
      await new Promise((done) => requestAnimationFrame(done));
    }
  })()`);
}

const [page, selector, out, at, steps] = process.argv.slice(2);
const [file, hash] = page.split("#");
const browser = await Chromium.open(width, 1200);
try {
  await browser.go(file, hash ? `#${hash}` : "");
  if (steps) await zoom(browser, Number(at), Number(steps));
  const clip = await browser.evaluate(`(async () => {
    const chosen = [...document.querySelectorAll(${JSON.stringify(selector)})];
    // What stands beside or between them is not shown.
    for (const element of chosen) {
      for (let part = element; part !== document.body; part = part.parentElement) {
        for (const other of part.parentElement.children) {
          if (!chosen.some((one) => other.contains(one))) other.style.display = "none";
        }
      }
    }
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const boxes = chosen.map((element) => element.getBoundingClientRect());
    const top = Math.min(...boxes.map((box) => box.top)) - ${margin};
    return { x: 0, y: Math.max(0, top + scrollY), width: innerWidth,
      height: Math.max(...boxes.map((box) => box.bottom)) + ${margin} - Math.max(0, top), scale: 1 };
  })()`);
  const { data } = await browser.send("Page.captureScreenshot", {
    format: "png",
    captureBeyondViewport: true,
    clip,
  });
  const picture = small(Buffer.from(data, "base64"));
  writeFileSync(out, picture);
  console.log(`${out}: ${clip.width} x ${Math.round(clip.height)}, ${picture.length} bytes`);
} finally {
  await browser.close();
}
