// explore.js - worlds that are explored in the page, and links that ask for one.
"use strict";

class Exploring {
  /** @param {Playground} playground */
  constructor(playground) {
    this.page = playground;
    this.made = ""; // what was explored here, as a link has it
    this.explorer = ""; // and as the command has it
    this.total = 1; // episodes asked for
    this.lesson = false; // does a question wait until all is explored?
  }

  listWorlds() {
    const { page } = this;
    const box = select("world");
    box.replaceChildren(...page.engine.worlds().map(([name]) => new Option(name, name)));
    box.addEventListener("change", () => this.chooseWorld(box.value));
    this.chooseWorld("rooms");
  }

  /** @param {string} spec */
  chooseWorld(spec) {
    const [name] = spec.split(":");
    input("spec").value = spec;
    select("world").value = name;
    say("world-summary", new Map(this.page.engine.worlds()).get(name) || "");
  }

  /**
   * Explores a built-in world here.
   * @param {string} spec @param {number} episodes @param {string} seed
   */
  explore(spec, episodes, seed) {
    const { page } = this;
    const own = !page.bundle.state && spec === page.bundle.name;
    /** @type {Source} */
    const source = { settings: [["episodes", String(episodes)], ["seed", seed]] };
    if (own) source.model = page.bundle.modelBytes;
    else source.spec = spec;
    try {
      page.open(source);
    } catch (error) {
      return page.complain(error);
    }
    this.made = `world=${encodeURIComponent(spec)}&episodes=${episodes}&seed=${seed}`;
    this.explorer = `${spec} -k ${episodes} --seed ${seed}`;
    this.total = episodes;
    element("stop", HTMLElement).hidden = element("progress", HTMLElement).hidden = false;
    page.worker.postMessage({ kind: "explore", id: page.origin, episodes });
  }

  /** @param {{left: number, state: Uint8Array}} news */
  explored(news) {
    const { page } = this;
    page.engine.load(news.state);
    page.about();
    const episodes = page.engine.episodes(), last = page.past[page.past.length - 1];
    if (!last || episodes >= 1.5 * last.episodes || news.left === 0) page.remindOf([...page.past, { episodes, state: news.state }]);
    const progress = element("progress", HTMLProgressElement), { total } = this;
    progress.value = (total - news.left) / total;
    progress.hidden = element("stop", HTMLElement).hidden = news.left === 0;
    for (const sheet of page.shown) if (!sheet.paint.empty) page.changed(sheet);
    page.redraw();
    if (news.left === 0) page.remember();
    if (news.left === 0 && this.lesson) this.beginLesson();
  }

  /** What the address asks for: a world to explore, a reward to paint. */
  followLink() {
    const { page } = this;
    const words = new Map(location.hash.slice(1).split("&").map((word) => {
      const [key, ...rest] = word.split("=");
      return [key, decodeURIComponent(rest.join("="))];
    }));
    const spec = words.get("world");
    this.lesson = words.has("ask");
    if (spec) {
      this.chooseWorld(spec);
      input("episodes").value = words.get("episodes") || "2000";
      input("seed").value = words.get("seed") || "1";
      this.explore(spec, Number(input("episodes").value), input("seed").value);
    }
    if (words.has("other") !== page.paired) page.pair(words.has("other"));
    this.paintFrom(page.sheets[0], words.get("reward"));
    this.paintFrom(page.sheets[1], words.get("other"));
    if (page.sheets.every((sheet) => sheet.problem === "")) page.remember();
    if (this.lesson && !spec) this.beginLesson();
    page.redraw();
  }

  /** @param {Sheet} sheet @param {string | undefined} text */
  paintFrom(sheet, text) {
    if (text && sheet.paint.read(text)) return this.page.changed(sheet);
    if (!text) return;
    sheet.paint.undo();
    sheet.problem = "the reward in the address does not fit this world";
  }

  /** A lesson begins with a question. */
  beginLesson() {
    this.lesson = false;
    this.page.guide.at = MINUTE.length;
    this.page.quiz.next();
  }
}
