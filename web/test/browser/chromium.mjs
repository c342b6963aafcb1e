// A headless Chromium, driven over its own pipe (the DevTools protocol): opens
// files, runs scripts in them, types, and takes pictures. No package is needed.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { accessSync, constants } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

// The browser on this machine, or nothing.
export function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of names) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // not here
      }
    }
  }
  return null;
}

const flags = (profile) => [
  "--headless=new",
  "--remote-debugging-pipe",
  `--user-data-dir=${profile}`,
  "--no-first-run",
  "--disable-gpu",
  "--disable-extensions",
  "--disable-background-networking",
  "--disable-dev-shm-usage",
  "--hide-scrollbars",
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
  "about:blank",
];

export class Chromium {
  static async open(width = 1400, height = 900) {
    const browser = new Chromium();
    const { targetInfos } = await browser.send("Target.getTargets");
    const { targetId } = targetInfos.find((t) => t.type === "page");
    const { sessionId } = await browser.send("Target.attachToTarget", {
      targetId,
      flatten: true,
    });
    browser.session = sessionId;
    await browser.send("Page.enable");
    await browser.send("Runtime.enable");
    await browser.resize(width, height);
    return browser;
  }

  constructor() {
    this.profile = mkdtempSync(join(tmpdir(), "rangefinder-chromium-"));
    this.process = spawn(findChromium(), flags(this.profile), {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    this.waiting = new Map();
    this.listeners = [];
    this.errors = []; // what the page threw, or wrote as an error
    this.next = 1;
    let text = "";
    this.process.stdio[4].setEncoding("utf8").on("data", (chunk) => {
      const parts = (text + chunk).split("\0");
      text = parts.pop();
      for (const part of parts) this.receive(JSON.parse(part));
    });
    this.process.on("exit", () => {
      for (const { reject } of this.waiting.values()) reject(new Error("chromium ended"));
    });
  }

  receive(message) {
    const call = this.waiting.get(message.id);
    if (call) {
      this.waiting.delete(message.id);
      if (message.error) call.reject(new Error(`${call.method}: ${message.error.message}`));
      else call.resolve(message.result);
      return;
    }
    if (message.method === "Runtime.exceptionThrown") {
      const { exceptionDetails: details } = message.params;
      this.errors.push(details.exception?.description ?? details.text);
    }
    this.listeners = this.listeners.filter((listener) => !listener(message));
  }

  send(method, params = {}) {
    const id = this.next++;
    const message = { id, method, params };
    if (this.session) message.sessionId = this.session;
    this.process.stdio[3].write(`${JSON.stringify(message)}\0`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject, method }));
  }

  event(method) {
    return new Promise((resolve) =>
      this.listeners.push((message) => {
        if (message.method !== method) return false;
        resolve(message.params);
        return true;
      }),
    );
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
    return this.send("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    });
  }

  // Done when the page has loaded, and drawn all that it has packed.
  async go(file, hash = "") {
    for (const url of ["about:blank", pathToFileURL(file).href + hash]) {
      const loaded = this.event("Page.loadEventFired");
      await this.send("Page.navigate", { url });
      await loaded;
    }
    await this.evaluate(
      `new Promise((resolve) => {
         const wait = () => document.documentElement?.dataset.ready
           ? requestAnimationFrame(() => requestAnimationFrame(resolve))
           : setTimeout(wait, 5);
         wait();
       })`,
    );
  }

  // The value of an expression, awaited.
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return result.value;
  }

  async key(key, modifiers = 0) {
    const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
    const code = key === " " ? "Space" : key;
    const event = { key, code, modifiers, windowsVirtualKeyCode: keyCodes[key] ?? 0 };
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", text, ...event });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  }

  mouse(type, x, y, more = {}) {
    return this.send("Input.dispatchMouseEvent", {
      type,
      x,
      y,
      button: type === "mouseMoved" ? (more.buttons ? "left" : "none") : "left",
      clickCount: 1,
      ...more,
    });
  }

  async drag(from, to, y, modifiers = 0) {
    await this.mouse("mouseMoved", from, y, { modifiers });
    await this.mouse("mousePressed", from, y, { modifiers });
    for (let i = 1; i <= 8; ++i) {
      await this.mouse("mouseMoved", from + ((to - from) * i) / 8, y, { buttons: 1, modifiers });
    }
    await this.mouse("mouseReleased", to, y, { modifiers });
  }

  // A PNG of what is in view, or of the whole page.
  async picture(whole = false) {
    const { data } = await this.send("Page.captureScreenshot", {
      format: "png",
      captureBeyondViewport: whole,
    });
    return Buffer.from(data, "base64");
  }

  theme(name) {
    return this.send("Emulation.setEmulatedMedia", {
      features: [{ name: "prefers-color-scheme", value: name }],
    });
  }

  async close() {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.send("Browser.close").catch(() => {});
    const patience = setTimeout(() => this.process.kill("SIGKILL"), 5000);
    await ended;
    clearTimeout(patience);
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

const keyCodes = {
  Tab: 9, Enter: 13, Escape: 27, " ": 32, PageUp: 33, PageDown: 34, End: 35,
  Home: 36, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40,
};
