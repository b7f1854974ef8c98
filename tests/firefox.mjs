// Firefox driven with real events, by its own protocol (Marionette): the same calls as Browser of
// webdriver.mjs, so that tests/play.mjs can run in both.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { Browser } from "./webdriver.mjs";

/** Starts Firefox, which writes the port that it listens on into its profile. */
async function startFirefox(profile, width, height) {
  mkdirSync(profile, { recursive: true });
  writeFileSync(`${profile}/user.js`, `user_pref("marionette.port", 0);\nuser_pref("ui.prefersReducedMotion", 1);\n`);
  const args = ["--headless", "--no-remote", "--marionette", "--profile", profile, `--width=${width}`, `--height=${height}`];
  const driver = spawn(existsSync("/usr/bin/firefox-esr") ? "firefox-esr" : "firefox", args, { stdio: "ignore" });
  const file = `${profile}/MarionetteActivePort`;
  for (let tries = 0; !existsSync(file) || readFileSync(file, "utf8") === ""; tries++) {
    if (tries > 1200 || driver.exitCode !== null) throw new Error("Firefox does not start");
    await new Promise((go) => setTimeout(go, 50));
  }
  return { driver, port: Number(readFileSync(file, "utf8")) };
}

export class Firefox extends Browser {
  static async open({ profile, width = 1280, height = 900 }) {
    const browser = new Firefox(), { driver, port } = await startFirefox(profile, width, height);
    Object.assign(browser, { driver, said: Buffer.alloc(0), asked: new Map(), count: 0 });
    browser.socket = connect(port, "127.0.0.1");
    browser.socket.on("data", (data) => browser.hear(data));
    await new Promise((go) => browser.socket.once("connect", go));
    await browser.tell("WebDriver:NewSession", { capabilities: { alwaysMatch: {} } });
    await browser.tell("WebDriver:SetTimeouts", { script: 60000 });
    return browser;
  }

  /** Messages are "LENGTH:JSON"; answers [1, number, error, value]. */
  hear(data) {
    this.said = Buffer.concat([this.said, data]);
    for (let colon; (colon = this.said.indexOf(":")) >= 0;) {
      const size = Number(this.said.subarray(0, colon).toString());
      if (this.said.length < colon + 1 + size) return;
      const message = JSON.parse(this.said.subarray(colon + 1, colon + 1 + size).toString());
      this.said = this.said.subarray(colon + 1 + size);
      if (!Array.isArray(message)) continue; // the greeting
      const [, number, error, value] = message, { done, fail } = this.asked.get(number);
      if (error) fail(new Error(error.message));
      else done(value);
    }
  }

  tell(name, body = {}) {
    const number = this.count++, text = JSON.stringify([0, number, name, body]);
    this.socket.write(`${Buffer.byteLength(text)}:${text}`);
    return new Promise((done, fail) => this.asked.set(number, { done, fail }));
  }

  async go(address) {
    await this.tell("WebDriver:Navigate", { url: address });
    // Errors of the page, for there is no log to ask for.
    await this.run(`window.complaints = []; addEventListener("error", (e) => window.complaints.push(e.message));
      addEventListener("unhandledrejection", (e) => window.complaints.push(String(e.reason)));`);
  }

  async run(script, ...args) {
    const { value } = await this.tell("WebDriver:ExecuteScript", { script, args, sandbox: null });
    return value;
  }

  async act(actions) {
    await this.tell("WebDriver:PerformActions", { actions });
  }

  async click(selector) {
    const { value } = await this.tell("WebDriver:FindElement", { using: "css selector", value: selector });
    await this.tell("WebDriver:ElementClick", { id: Object.values(value)[0] });
  }

  async screenshot(file) {
    const { value } = await this.tell("WebDriver:TakeScreenshot", { full: true, hash: false });
    writeFileSync(file, Buffer.from(value, "base64"));
  }

  async console() {
    return this.run(`return window.complaints || []`);
  }

  async close() {
    await this.tell("Marionette:Quit", { flags: ["eForceQuit"] }).catch(() => {});
    this.socket.destroy();
    this.driver.kill();
  }
}
