// See scripts/look, which has made the pages in the directory that this runs in.
import { existsSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { Browser } from "../tests/webdriver.mjs";
import { Firefox } from "../tests/firefox.mjs";

const here = process.cwd(), profile = mkdtempSync(`${tmpdir()}/look`);
const pages = readdirSync(here).filter((name) => name.endsWith(".html")).sort();
let bad = 0;

/** States of the playground: a page, an address, what is done there, and when that is finished. */
const known = `document.getElementById("verdict").dataset.doubt === "known"`;
const STATES = [
  { name: "empty", page: "play-rooms.html", hash: "" },
  { name: "painted", page: "play-rooms.html", hash: "#reward=0-29:1:81-83;5-20:0.4:8", until: known },
  { name: "earlier", page: "play-rooms.html", hash: "#reward=0-29:1:81-83", until: known,
    then: `const it = document.getElementById("known"); it.value = 3; it.dispatchEvent(new Event("input"));`, again: known },
  { name: "two", page: "play-rooms.html", hash: "#reward=0-29:1:81-83&other=0-29:1:8", until: known },
  { name: "question", page: "play-rooms.html", hash: "#reward=0-29:1:81-83&ask", until: known },
  { name: "answered", page: "play-rooms.html", hash: "#reward=0-29:1:81-83&ask", until: known,
    then: `document.querySelector("#answers button").click();` },
  { name: "walked", page: "play-rooms.html", hash: "#reward=0-29:1:81-83", until: known,
    then: `document.getElementById("walk").click();` },
  { name: "refused", page: "play-rooms.html", hash: "#reward=0-29:1:999" },
  { name: "explore", page: "play-world.html", hash: "#world=riverswim&episodes=300&seed=5&reward=0-23:1:5", until: known },
  { name: "unexplored", page: "play-world.html", hash: "" },
  { name: "list", page: "play-inventory.html", hash: "#reward=0-19:1:3-4;0-19:0.5:7", until: known },
  { name: "system", page: "play-pendulum.html", hash: "#reward=0-39:1:200-202,221-223", until: known,
    then: `document.getElementById("walk").click();` },
  { name: "program", page: "play-lake.html", hash: "#reward=0-29:1:15", until: known,
    then: `document.getElementById("walk").click();` },
  { name: "program-system", page: "play-thermostat.html", hash: "#reward=0-23:1:60-64,72-76", until: known,
    then: `document.getElementById("walk").click();` },
  { name: "large", page: "play-large.html", hash: "#reward=0-29:1:200-204", until: known },
].filter(({ page }) => pages.includes(page));

async function reach(browser, { page, hash, until, then, again }) {
  await browser.go("about:blank");
  await browser.go(`file://${here}/${page}${hash}`);
  if (page.startsWith("play-")) await browser.until("window.playground");
  if (until) await browser.until(until);
  if (then) await browser.run(then);
  if (again) await browser.until(again);
}

/** What axe-core finds, with how bad it is. */
async function examine(browser, name) {
  const found = await browser.run(`${readFileSync("axe.min.js", "utf8")};
    return axe.run().then((all) => all.violations.map((v) => [v.impact, v.id, v.nodes.length, v.nodes[0].target.join(" ")]));`);
  for (const [impact, id, count, where] of found) {
    console.log(`axe: ${name}: ${impact}: ${id}, ${count} times, first ${where}`);
    if (impact === "serious" || impact === "critical") bad++;
  }
}

async function shoot(browser, state, width, scheme) {
  const media = scheme === "print" ? "print" : "screen";
  const features = [{ name: "prefers-color-scheme", value: scheme === "dark" ? "dark" : "light" }];
  const size = (height) => browser.chromium("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
  await size(900);
  await browser.chromium("Emulation.setEmulatedMedia", { media, features });
  await reach(browser, state);
  const name = `${state.name}-${width}-${scheme}`;
  const asked = (width === 400 && scheme === "light") || (width === 1280 && scheme === "dark");
  if (existsSync("axe.min.js") && asked) await examine(browser, name);
  const wide = await browser.run("return document.documentElement.scrollWidth");
  if (wide > width) console.log(`look: ${name}: ${wide} pixels wide`);
  if (wide > width) bad++;
  await size(Math.min(6000, await browser.run("return document.documentElement.scrollHeight")));
  await browser.run("return new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))");
  await browser.screenshot(`${name}.png`);
  for (const line of await browser.console()) {
    console.log(`look: ${name}: ${line}`);
    bad++;
  }
}

async function screens() {
  const plain = pages.filter((page) => !page.startsWith("play-")).map((page) => ({ name: page.replace(".html", ""), page, hash: "" }));
  const browser = await Browser.open({ profile, flags: ["--force-prefers-reduced-motion"] });
  // axe-core looks at every cell of every table, also of closed ones: half a minute for a report, more on a busy machine.
  await browser.ask("POST", `${browser.base}/timeouts`, { script: 300000 });
  const only = process.argv[3] ? new RegExp(process.argv[3]) : /./;
  try {
    for (const state of [...STATES, ...plain].filter(({ name }) => only.test(name)))
      for (const [width, scheme] of [[400, "light"], [400, "dark"], [1280, "light"], [1280, "dark"], [1920, "light"], [1280, "print"]])
        await shoot(browser, state, width, scheme).catch((error) => {
          console.log(`look: ${state.name}-${width}-${scheme}: ${error.message}`);
          bad++;
        });
  } finally {
    await browser.close();
  }
}

async function firefox() {
  const browser = await Firefox.open({ profile });
  try {
    for (const page of pages) {
      await reach(browser, { page, hash: "" });
      await browser.screenshot(`firefox-${page.replace(".html", "")}.png`);
      const lines = await browser.console(), wide = await browser.run("return document.documentElement.scrollWidth > innerWidth");
      if (lines.length > 0 || wide) bad++;
      console.log(`firefox: ${page}: ${lines.length > 0 ? lines.join(" ") : wide ? "wider than the window" : "opens, and complains about nothing"}`);
    }
  } finally {
    await browser.close();
  }
}

// ------------------------------------------------------------------------------ frames

/**
 * Paints for some seconds, a move of the pointer in every frame, and counts the frames in which
 * arrows and value were drawn; then waits for the certificate and the doubt behind it.
 */
const MEASURE = `return new Promise((done) => {
  const { view } = playground, { canvas } = view, box = canvas.getBoundingClientRect(), times = [];
  const boxes = view.box.filter(Boolean);
  const send = (kind, b) => canvas.dispatchEvent(new PointerEvent(kind, { pointerId: 1, button: 0, buttons: 1, bubbles: true,
    clientX: box.left + b.x + b.w / 2, clientY: box.top + b.y + b.h / 2 }));
  canvas.setPointerCapture = () => {};
  send("pointerdown", boxes[0]);
  const begun = performance.now(), first = playground.frames;
  let plan = 0, i = 0;
  const next = (now) => {
    times.push(now);
    plan = Math.max(plan, playground.planTime);
    if (performance.now() - begun < 4000) {
      send("pointermove", boxes[(7 * ++i) % boxes.length]);
      return requestAnimationFrame(next);
    }
    const seconds = (performance.now() - begun) / 1000, frames = playground.frames - first, last = performance.now();
    send("pointerup", boxes[0]);
    const spans = times.slice(1).map((t, j) => t - times[j]).sort((a, b) => a - b);
    const wait = () => {
      if (!playground.sheet.result) return setTimeout(wait, 2);
      const certificate = performance.now() - last;
      const doubt = () => playground.sheet.places === null ? setTimeout(doubt, 2) : done({ frames: frames / seconds,
        slowest: spans[spans.length - 1], middle: spans[spans.length >> 1], plan, certificate, doubt: performance.now() - last });
      doubt();
    };
    wait();
  };
  requestAnimationFrame(next);
});`;

async function frames() {
  const lines = [];
  for (const [page, name, wanted, limit] of [["play-rooms.html", "rooms 3x3", 60, 0.3], ["play-large.html", "rooms 20x20", 20, 3]]) {
    const browser = await Browser.open({ profile: `${profile}/${page}` });
    try {
      await reach(browser, { page, hash: "" });
      const it = await browser.run(MEASURE);
      lines.push(`${name}: ${it.frames.toFixed(1)} frames a second (wanted ${wanted}), ${it.middle.toFixed(1)} ms between two in the middle and `
        + `${it.slowest.toFixed(0)} ms at most, of which planning at most ${it.plan.toFixed(1)} ms; `
        + `certificate ${(it.certificate / 1000).toFixed(2)} s after the last stroke (wanted ${limit}), doubt ${(it.doubt / 1000).toFixed(2)} s`);
      console.log(lines[lines.length - 1]);
    } finally {
      await browser.close();
    }
  }
  writeFileSync("frames.txt", `${lines.join("\n")}\n`);
}

await { pages: screens, firefox, frames }[process.argv[2]]();
process.exit(bad === 0 ? 0 : 1);
