// Opens pages in a real browser, on a small and on a large screen: node pages.mjs NAME...
// For each NAME.html it writes what tests/browser.sh looks at: NAME-WIDTH.txt, what the page
// shows; NAME-WIDTH.console, what it said; NAME-400.png; and NAME-files, what it offers to download.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { Browser } from "./webdriver.mjs";

// Each picture's size and how many colours its pixels have, each table's cells (rounded numbers
// have all their digits in the title), and what is behind each download.
const PROBE = `
const lines = ["width " + innerWidth, "overflow " + (document.documentElement.scrollWidth > innerWidth)], files = [];
async function look(svg) {
  const box = svg.getBoundingClientRect(), copy = svg.cloneNode(true);
  copy.insertAdjacentHTML("afterbegin", document.querySelector("head style").outerHTML);
  const image = new Image(), canvas = document.createElement("canvas");
  image.src = "data:image/svg+xml," + encodeURIComponent(new XMLSerializer().serializeToString(copy));
  await image.decode();
  canvas.width = image.width;
  canvas.height = image.height;
  const pen = canvas.getContext("2d");
  pen.drawImage(image, 0, 0);
  const pixels = new Uint32Array(pen.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  const inside = box.width > 100 && box.height > 20 && box.right <= innerWidth;
  lines.push(["picture", svg.id, inside ? "inside" : "outside", new Set(pixels).size].join(" "));
}
const cells = (row, text) => [...row.children].map(text).join("|");
return (async () => {
  for (const svg of document.querySelectorAll("svg:not(.key)")) await look(svg);
  for (const { href, download } of document.querySelectorAll("a.download")) {
    const text = await (await fetch(href)).text();
    lines.push(["download", download, text.length > 20].join(" "));
    files.push([download, text]);
  }
  for (const rows of document.querySelectorAll("details"))
    for (const row of rows.querySelectorAll("tr"))
      lines.push("row " + rows.id + " " + cells(row, (c) => c.textContent));
  for (const table of document.querySelectorAll("div[id$=-table]"))
    for (const row of table.querySelectorAll("tr"))
      lines.push("shown " + table.id + " " + cells(row, (c) => c.title || c.textContent));
  lines.push("end");
  return { lines, files };
})();`;

const profile = mkdtempSync(`${tmpdir()}/pages`), browser = await Browser.open({ profile });

async function open(name, width) {
  await browser.go("about:blank");
  await browser.chromium("Emulation.setDeviceMetricsOverride",
    { width, height: 1000, deviceScaleFactor: 1, mobile: false });
  await browser.go(`file://${process.cwd()}/${name}.html`);
  const { lines, files } = await browser.run(PROBE);
  writeFileSync(`${name}-${width}.txt`, lines.join("\n") + "\n");
  mkdirSync(`${name}-files`, { recursive: true });
  for (const [file, text] of files) writeFileSync(`${name}-files/${file}`, text);
  if (width === 400) await browser.screenshot(`${name}-400.png`);
  writeFileSync(`${name}-${width}.console`, (await browser.console()).map((line) => line + "\n").join(""));
}

try {
  for (const name of process.argv.slice(2))
    for (const width of [400, 1600]) await open(name, width);
} finally {
  await browser.close();
  rmSync(profile, { recursive: true, force: true });
}
