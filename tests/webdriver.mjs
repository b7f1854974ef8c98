// A browser driven with real events, by chromedriver's protocol: what tests/play.mjs needs of it.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";

/** Starts chromedriver on a port of its own choice, and waits until it says which. */
function startDriver() {
  const driver = spawn("chromedriver", ["--port=0"], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    let said = "";
    driver.on("error", reject);
    driver.stdout.on("data", (data) => {
      said += data;
      const match = /successfully on port (\d+)/.exec(said);
      if (match) resolve({ driver, url: `http://127.0.0.1:${match[1]}` });
    });
    driver.on("exit", () => reject(new Error(`chromedriver ended: ${said}`)));
  });
}

export class Browser {
  /** Opens a browser of this size, with a profile in a directory of the test. */
  static async open({ profile, width = 1280, height = 900, flags = [] }) {
    const browser = new Browser();
    Object.assign(browser, await startDriver());
    const args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
      "--hide-scrollbars", "--disable-background-networking", `--user-data-dir=${profile}`,
      `--window-size=${width},${height}`, ...flags];
    const wanted = { browserName: "chrome", "goog:chromeOptions": { args, binary: "/usr/bin/chromium" },
      "goog:loggingPrefs": { browser: "ALL" } };
    const session = await browser.ask("POST", "/session", { capabilities: { alwaysMatch: wanted } });
    browser.base = `/session/${session.sessionId}`;
    await browser.ask("POST", `${browser.base}/timeouts`, { script: 60000 });
    return browser;
  }

  async ask(method, path, body) {
    const answer = await fetch(this.url + path, { method, body: body && JSON.stringify(body) });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${path}: ${value.message}`);
    return value;
  }

  async go(address) {
    await this.ask("POST", `${this.base}/url`, { url: address });
  }

  /** What a function of the page's world returns; promises are awaited. */
  async run(script, ...args) {
    return this.ask("POST", `${this.base}/execute/sync`, { script, args });
  }

  /** Waits until an expression of the page is true. */
  async until(expression) {
    await this.run(`return new Promise((done) => {
      const look = () => (${expression}) ? done(true) : setTimeout(look, 5);
      look();
    });`);
  }

  /** A stroke: the pointer goes down at the first point, along the others, and up. */
  async stroke(points, { pointerType = "mouse", pace = 10 } = {}) {
    const actions = points.map(([x, y], i) => (
      { type: "pointerMove", duration: i === 0 ? 0 : pace, x: Math.round(x), y: Math.round(y), origin: "viewport" }));
    actions.splice(1, 0, { type: "pointerDown", button: 0 });
    actions.push({ type: "pointerUp", button: 0 });
    const pointer = { type: "pointer", id: pointerType, parameters: { pointerType }, actions };
    await this.act([pointer]);
  }

  /** Keys pressed one after another; names of the W3C as their characters. */
  async keys(...keys) {
    const actions = keys.flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]);
    await this.act([{ type: "key", id: "keys", actions }]);
  }

  async act(actions) {
    await this.ask("POST", `${this.base}/actions`, { actions });
  }

  async click(selector) {
    const found = await this.ask("POST", `${this.base}/element`, { using: "css selector", value: selector });
    await this.ask("POST", `${this.base}/element/${Object.values(found)[0]}/click`, {});
  }

  /** A command of Chromium's own protocol. */
  async chromium(cmd, params = {}) {
    return this.ask("POST", `${this.base}/goog/cdp/execute`, { cmd, params });
  }

  async screenshot(file) {
    writeFileSync(file, Buffer.from(await this.ask("GET", `${this.base}/screenshot`), "base64"));
  }

  /** What the page said on its console. */
  async console() {
    const lines = await this.ask("POST", `${this.base}/se/log`, { type: "browser" });
    return lines.map((line) => line.message);
  }

  async close() {
    await this.ask("DELETE", this.base).catch(() => {});
    this.driver.removeAllListeners("exit");
    this.driver.kill();
  }
}

export const KEY = { left: "\uE012", up: "\uE013", right: "\uE014", down: "\uE015", delete: "\uE017", tab: "\uE004" };
