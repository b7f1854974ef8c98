// play.js - the page: listens to the pointer, the keyboard and the controls, plans while somebody
// paints, and asks the worker for what takes longer. Names from models are only ever set as text.
"use strict";

/** @template {HTMLElement} T @param {string} id @param {new () => T} kind @returns {T} */
function element(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`no ${id}`);
  return found;
}
/** @param {string} id */
const input = (id) => element(id, HTMLInputElement);
/** @param {string} id */
const select = (id) => element(id, HTMLSelectElement);
/** @param {string} id @param {string} text */
function say(id, text) {
  const it = element(id, HTMLElement);
  if (it.textContent !== text) it.textContent = text;
}
/**
 * Six digits, as the command prints them.
 * @param {number} x
 */
function brief(x) {
  return x === 0 ? "0" : String(Number(x.toPrecision(6)));
}
/**
 * Three digits, rounded up: a bound stays one.
 * @param {number} x
 */
function atMost(x) {
  const near = Number(x.toPrecision(3));
  return String(near >= x ? near : Number((near + 10 ** (Math.floor(Math.log10(x)) - 2)).toPrecision(3)));
}
const still = window.matchMedia("(prefers-reduced-motion: reduce)");

class Playground {
  /** @param {Engine} engine @param {Uint8Array} wasm @param {any} bundle what `foray play` put into the page */
  constructor(engine, wasm, bundle) {
    this.engine = engine;
    this.bundle = bundle;
    this.view = new View(element("map", HTMLCanvasElement));
    this.worker = this.startWorker(wasm);
    /** @type {World} */
    this.world = engine.describe();
    this.paint = new Paint(0, 0);
    /** @type {Int32Array | null} */
    this.policy = null;
    this.mode = 1;
    this.step = 0;
    this.cursor = -1;
    /** @type {number[]} */
    this.trail = [];
    /** @type {number[]} */
    this.doubt = [];
    this.wanted = 0; // the number of the last request for a certificate
    this.origin = 0; // the number of the world
    /** @type {{episodes: number, state: Uint8Array}[]} */
    this.past = [];
    this.painting = false;
    this.planned = true; // does the policy belong to the reward?
    this.drawn = true;
    this.planTime = 0;
    this.walked = 0;
    this.timer = 0;
    this.walker = 0;
    this.frames = 0;
    this.certificateTime = 0;
    this.asked = 0;
  }

  // ------------------------------------------------------------------------- worlds

  /** @param {Uint8Array} wasm */
  startWorker(wasm) {
    const text = ["engine", "worker"].map((id) => element(id, HTMLElement).textContent || "");
    const url = URL.createObjectURL(new Blob(text, { type: "text/javascript" }));
    const worker = new Worker(url);
    worker.onmessage = (event) => this.hear(event.data);
    worker.onerror = (event) => this.complain(event.message || "the worker failed");
    worker.postMessage({ kind: "begin", wasm });
    return worker;
  }

  /**
   * Opens a world, explored or not.
   * @param {Source} source
   */
  open(source) {
    this.engine.open(source);
    this.worker.postMessage({ kind: "open", source });
    this.origin++;
    this.remindOf([]);
    this.world = this.engine.describe();
    this.paint = new Paint(this.world.states, this.world.horizon);
    this.step = 0;
    this.trail = [];
    this.cursor = -1;
    const last = this.world.horizon - 1;
    for (const id of ["step", "from", "to"]) input(id).max = String(last);
    input("from").value = "0";
    input("to").value = String(last);
    element("walk", HTMLButtonElement).hidden = !this.world.walks;
    this.arrange();
    this.about();
    this.showStep();
  }

  about() {
    const { world, bundle } = this, episodes = this.engine.episodes();
    const size = `${world.states.toLocaleString("en")} states, ${world.actions} actions, ${world.horizon} steps`;
    const who = this.origin === 1 && bundle.state ? ` by ${new Map(bundle.settings).get("algorithm")}` : "";
    const done = episodes > 0 ? `explored for ${episodes.toLocaleString("en")} episodes${who}, without a reward` : "not explored yet";
    say("about", `${world.name}: ${size}; ${done}.`);
    if (world.states > SHOWN && this.view.list) say("about", `${world.name}: ${size}; ${done}. The first ${SHOWN} states are shown.`);
  }

  /** Fits the picture into the window. */
  arrange() {
    const room = element("main", HTMLElement), beside = window.matchMedia("(min-width: 62.01rem)").matches;
    const width = beside ? window.innerWidth - element("panel", HTMLElement).offsetWidth - 60 : room.clientWidth;
    this.view.layOut(this.world, Math.max(width, 200), Math.max(260, window.innerHeight - 270));
    document.documentElement.style.setProperty("--stage", `${this.view.extent[0]}px`);
    this.changed(false);
  }

  // --------------------------------------------------------------------------- history

  /**
   * What was known earlier, and what is known now.
   * @param {{episodes: number, state: Uint8Array}[]} states
   */
  remindOf(states) {
    this.past = states;
    element("past", HTMLElement).hidden = states.length < 2;
    input("known").max = String(Math.max(0, states.length - 1));
    input("known").value = input("known").max; // only now: it would be cut to the old one
    this.showKnown();
  }

  showKnown() {
    const it = this.past[Number(input("known").value)];
    const text = it ? `${it.episodes.toLocaleString("en")} episode${it.episodes === 1 ? "" : "s"}` : "";
    say("known-shown", text);
    input("known").setAttribute("aria-valuetext", text);
  }

  /** Goes to what was known then. */
  recall() {
    const it = this.past[Number(input("known").value)];
    this.showKnown();
    if (!it || it.episodes === this.engine.episodes()) return;
    this.engine.load(it.state);
    this.worker.postMessage({ kind: "load", state: it.state });
    this.about();
    this.changed(true);
  }

  // ------------------------------------------------------------------------ planning

  /**
   * The picture is out of date, and perhaps the policy.
   * @param {boolean} replan
   */
  changed(replan) {
    if (replan) {
      this.planned = false;
      this.wanted++;
      element("verdict", HTMLElement).dataset.doubt = "sought";
      this.doubt = [];
      this.stopWalking();
      window.clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.certify(), this.painting ? 120 : 0);
    }
    if (!this.drawn) return;
    this.drawn = false;
    requestAnimationFrame(() => this.frame());
  }

  frame() {
    this.drawn = true;
    this.frames++;
    if (!this.planned) this.plan();
    this.view.draw({
      world: this.world, paint: this.paint, policy: this.policy, step: this.step, cursor: this.cursor,
      trail: this.trail, doubt: input("show-doubt").checked ? this.doubt : [],
    });
  }

  get reward() {
    return this.paint.file("painted");
  }

  plan() {
    this.planned = true;
    const begun = performance.now();
    try {
      this.engine.plan(this.reward, this.mode, false);
      this.policy = this.engine.policy();
      const { numbers } = this.engine.result();
      this.showValue(this.mode === 1 ? numbers.plugin : NaN);
    } catch (error) {
      this.complain(error);
    }
    this.planTime = performance.now() - begun;
    this.showVerdict("computing", "Computing …", "the certificate follows");
    say("interval", "");
    say("small", "");
    say("truth", "");
    this.showPlaces([]);
  }

  certify() {
    if (!this.planned) this.plan(); // or "computing" would come after the answer
    if (this.paint.empty) return this.showEmpty();
    this.asked = performance.now();
    this.worker.postMessage({ kind: "certify", id: this.wanted, reward: this.reward, mode: this.mode });
  }

  /**
   * A message from the worker.
   * @param {any} message
   */
  hear(message) {
    if (message.kind === "failed") return this.complain(message.message);
    if (message.kind === "explored" && message.id === this.origin) return this.explored(message);
    if (message.id !== this.wanted) return;
    if (message.kind === "certified") {
      this.certificateTime = performance.now() - this.asked;
      this.policy = message.policy;
      this.showResult(message.result);
    }
    if (message.kind === "doubted") this.showDoubt(message.places);
    element("verdict", HTMLElement).dataset.doubt = message.kind === "doubted" ? "known" : "sought";
    this.changed(false);
  }

  // ------------------------------------------------------------------------- showing

  /** @param {unknown} error */
  complain(error) {
    this.showVerdict("failed", "That did not work", error instanceof Error ? error.message : String(error));
  }

  /** @param {number} value */
  showValue(value) {
    const shown = element("value", HTMLOutputElement);
    shown.textContent = Number.isNaN(value) ? "…" : brief(value);
    shown.title = shown.dataset.value = Number.isNaN(value) ? "" : String(value);
  }

  /** @param {string} state @param {string} word @param {string} text */
  showVerdict(state, word, text) {
    const { dataset } = element("verdict", HTMLElement);
    dataset.state = state;
    dataset.doubt = "sought";
    say("verdict-word", word);
    say("verdict-text", text);
  }

  showEmpty() {
    const fresh = this.engine.episodes() === 0;
    this.showValue(0);
    this.showVerdict("none", fresh ? "Not explored yet" : "No reward yet", fresh ? "Explore the world first: below." : "Paint one on the map.");
    if (fresh) say("caption", "Nothing is known about this world yet. Explore it first, without any reward.");
    else say("caption", "Nobody told the explorer what is worth having. Paint a reward: drag over the map.");
  }

  /** @param {Certified} result */
  showResult(result) {
    const n = result.numbers, sure = `${brief(100 * (1 - n.delta))}%`;
    this.showValue(n.expected);
    const verdict = element("verdict", HTMLElement);
    verdict.dataset.gap = String(n.gap);
    verdict.dataset.low = String(n.low);
    verdict.dataset.high = String(n.high);
    const proved = result.status === "certified", laws = proved ? "that fits the data" : "of the confidence set";
    if (Number.isFinite(n.low)) say("interval", `between ${brief(n.low)} and ${brief(n.high)} under every law ${laws}`);
    if (proved && n.optimal) this.showVerdict("optimal", "Proved optimal", `No policy is better, with probability at least ${sure}.`);
    else if (proved && n.vacuous) this.showVerdict("open", "Nothing certain yet", "The certificate is all that rewards allow: more episodes are needed.");
    else if (proved) this.showVerdict("certified", `At most ${atMost(n.gap)} below the best`, `Certified, with probability at least ${sure}.`);
    else if (Number.isFinite(n.gap)) this.showVerdict("open", `Perhaps ${atMost(n.gap)} below the best`, `${result.status}: ${result.because}.`);
    else this.showVerdict("open", "No certificate", `${result.because}.`);
    say("small", `optimistic ${brief(n.optimistic)}, plug-in ${brief(n.plugin)}, pessimistic ${brief(n.pessimistic)}; radius ${result.radius}`);
    this.showTruth();
    if (!proved) say("caption", "The arrows are the best plan under what was learnt; nothing is proved about it.");
    else say("caption", n.optimal
      ? "Nobody had named this reward while exploring, and the plan is proved the best."
      : "No other policy can add more than the certificate. Stripes: where it comes from.");
  }

  /** Is the model's theta that of the world? Of runs, the command has told; what is explored here is the model. */
  get isTrue() {
    return this.origin > 1 || !this.bundle.state || this.bundle.true;
  }

  /** Only where the world is known: what the policy is really worth. */
  showTruth() {
    const value = this.engine.call.play_truth(0), best = this.engine.call.play_truth(1);
    if (!Number.isNaN(value)) say("truth", `${this.isTrue ? "in the true world" : "by the model's own theta, which need not be the world's,"} ${brief(value)}; the best policy there ${brief(best)}`);
  }

  /** @param {Place[]} places */
  showDoubt(places) {
    const share = new Array(this.world.states).fill(0);
    for (const place of places) share[place.state] += place.share;
    const most = share.reduce((a, b) => Math.max(a, b), 0);
    const proved = element("verdict", HTMLElement).dataset.state === "optimal"; // what is left is rounding
    this.doubt = most > 0 && !proved ? share.map((x) => (x < most / 20 ? 0 : x / most)) : [];
    this.showPlaces(proved ? [] : places);
  }

  /** @param {Place[]} places */
  showPlaces(places) {
    const { world, policy } = this, list = element("places", HTMLElement);
    list.replaceChildren(...places.slice(0, 3).map(({ step, state, action, share }) => {
      const item = document.createElement("li");
      const own = policy && policy[step * world.states + state] === action;
      const what = own ? "what follows may be worse" : `${world.actionName[action]} might be better`;
      item.textContent = `step ${step}, state ${world.stateName[state]}: ${what} (${atMost(share)})`;
      return item;
    }));
  }

  showStep() {
    input("step").value = String(this.step);
    say("step-shown", String(this.step));
  }

  /**
   * What is under the cursor or the pointer.
   * @param {number} state
   */
  showWhere(state) {
    const { world, paint, policy, step } = this;
    if (state < 0) return say("where", "");
    const action = policy && !paint.empty ? `, ${world.actionName[policy[step * world.states + state]]}` : "";
    say("where", `state ${world.stateName[state]}: reward ${paint.at(step, state)} at step ${step}${action}`);
  }

  // ------------------------------------------------------------------------ painting

  /** @param {number[]} states @param {boolean} erase */
  stroke(states, erase) {
    const last = this.world.horizon - 1;
    const from = Math.min(Math.max(0, Number(input("from").value)), last);
    const to = Math.min(Math.max(from, Number(input("to").value)), last);
    for (const s of states) this.paint.set(s, from, to, erase ? 0 : Number(input("strength").value));
    if (states.length > 0) this.changed(true);
  }

  get brush() {
    return Number(select("brush").value);
  }

  get erasing() {
    return element("tools", HTMLElement).querySelector("input[value=erase]:checked") !== null;
  }

  /** @param {PointerEvent} event */
  pointed(event) {
    const box = this.view.canvas.getBoundingClientRect();
    return this.view.statesAt(event.clientX - box.left, event.clientY - box.top, this.brush);
  }

  listenToPointer() {
    const { canvas } = this.view;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      this.painting = true;
      this.cursor = -1;
      this.paint.begin();
      this.stroke(this.pointed(event), this.erasing);
    });
    canvas.addEventListener("pointermove", (event) => {
      const states = this.pointed(event);
      this.showWhere(states.length > 0 ? states[states.length >> 1] : -1);
      if (!this.painting) return;
      const before = event.getCoalescedEvents ? event.getCoalescedEvents() : [event];
      this.stroke(before.length > 0 ? before.flatMap((e) => this.pointed(e)) : states, this.erasing);
    });
    for (const end of ["pointerup", "pointercancel"])
      canvas.addEventListener(end, () => {
        if (!this.painting) return;
        this.painting = false;
        this.changed(true);
        this.remember();
      });
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const toward = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (toward) this.move(toward[0], toward[1]);
    else if (event.key === " " || event.key === "Enter") this.dab(this.erasing);
    else if (event.key === "Delete" || event.key === "Backspace") this.dab(true);
    else if (event.key === "u" || event.key === "z") this.undo();
    else if (event.key === "+" || event.key === "-") this.strengthen(event.key === "+" ? 1 : -1);
    else if (event.key === "b") select("brush").selectedIndex = (select("brush").selectedIndex + 1) % 3;
    else if (event.key === "PageUp" || event.key === "PageDown") this.goTo(this.step + (event.key === "PageUp" ? -1 : 1));
    else return;
    event.preventDefault();
  }

  /** @param {number} dx @param {number} dy */
  move(dx, dy) {
    const first = this.world.initial.findIndex((p) => p > 0);
    this.cursor = this.cursor < 0 ? Math.max(first, 0) : this.view.beside(this.cursor, dx, dy);
    this.showWhere(this.cursor);
    this.changed(false);
  }

  /** @param {boolean} erase */
  dab(erase) {
    if (this.cursor < 0) this.move(0, 0);
    this.paint.begin();
    this.stroke(this.view.around(this.cursor, this.brush), erase);
    this.showWhere(this.cursor);
    this.remember();
  }

  undo() {
    if (this.paint.undo()) this.changed(true);
    this.remember();
  }

  /** @param {number} by tenths */
  strengthen(by) {
    const strength = input("strength");
    if (by > 0) strength.stepUp();
    else strength.stepDown();
    say("strength-shown", strength.value);
  }

  // ----------------------------------------------------------------------------- time

  /** @param {number} step */
  goTo(step) {
    this.step = Math.min(Math.max(0, step), this.world.horizon - 1);
    this.showStep();
    this.showWhere(this.cursor);
    this.changed(false);
  }

  stopWalking() {
    window.clearInterval(this.walker);
    this.trail = [];
  }

  /** One episode in the true world, step by step, or at once for whoever wants things to stand still. */
  walk() {
    this.stopWalking();
    this.engine.plan(this.reward, this.mode, false);
    const states = this.engine.walk(this.walked++);
    let t = still.matches ? states.length : 1;
    const tick = () => {
      this.trail = states.slice(0, t);
      this.goTo(Math.min(t - 1, this.world.horizon - 1));
      if (t++ >= states.length) window.clearInterval(this.walker);
    };
    this.walker = window.setInterval(tick, 160);
    tick();
  }

  // -------------------------------------------------------------------------- sharing

  /** The reward as a link, a file and a command. */
  remember() {
    const link = this.paint.link(), made = this.made ? `${this.made}&` : "";
    history.replaceState(null, "", link || made ? `#${made}reward=${link}` : " ");
    element("download", HTMLAnchorElement).href = `data:application/json,${encodeURIComponent(this.reward)}`;
    const mode = this.mode === 1 ? "" : ` -m ${MODES[this.mode]}`;
    say("command", this.commands(mode));
  }

  /** @param {string} mode */
  commands(mode) {
    const explore = this.explorer ? `foray explore ${this.explorer} -o run.foray\n` : "";
    return `${explore}foray plan ${explore ? "run.foray" : "RUN"} -r painted.json${mode}`;
  }

  async copy() {
    this.remember();
    try {
      await navigator.clipboard.writeText(location.href);
      say("copied", "Copied.");
    } catch {
      say("copied", "Copy the address of this page: it contains the reward.");
    }
  }

  // ------------------------------------------------------------------------ exploring

  listWorlds() {
    const box = select("world"), worlds = this.engine.worlds();
    box.replaceChildren(...worlds.map(([name]) => new Option(name, name)));
    const chosen = () => {
      input("spec").value = box.value;
      say("world-summary", new Map(worlds).get(box.value) || "");
    };
    box.value = "rooms";
    box.addEventListener("change", chosen);
    chosen();
  }

  /**
   * Explores a built-in world here.
   * @param {string} spec @param {number} episodes @param {string} seed
   */
  explore(spec, episodes, seed) {
    const own = !this.bundle.state && spec === this.bundle.name;
    /** @type {Source} */
    const source = { settings: [["episodes", String(episodes)], ["seed", seed]] };
    if (own) source.model = this.bundle.modelBytes;
    else source.spec = spec;
    try {
      this.open(source);
    } catch (error) {
      return this.complain(error);
    }
    this.made = `world=${encodeURIComponent(spec)}&episodes=${episodes}&seed=${seed}`;
    this.explorer = `${spec} -k ${episodes} --seed ${seed}`;
    this.total = episodes;
    element("stop", HTMLElement).hidden = element("progress", HTMLElement).hidden = false;
    this.worker.postMessage({ kind: "explore", id: this.origin, episodes });
  }

  /** @param {{left: number, state: Uint8Array}} news */
  explored(news) {
    this.engine.load(news.state);
    this.about();
    const episodes = this.engine.episodes(), last = this.past[this.past.length - 1];
    if (!last || episodes >= 1.5 * last.episodes || news.left === 0) this.remindOf([...this.past, { episodes, state: news.state }]);
    const progress = element("progress", HTMLProgressElement), total = this.total || 1;
    progress.value = (total - news.left) / total;
    progress.hidden = element("stop", HTMLElement).hidden = news.left === 0;
    if (!this.paint.empty) this.changed(true);
    else if (news.left === 0) this.showEmpty();
    if (news.left === 0) this.remember();
  }

  /** What the address asks for: a world to explore, a reward to paint. */
  followLink() {
    const words = new Map(location.hash.slice(1).split("&").map((word) => {
      const [key, ...rest] = word.split("=");
      return [key, decodeURIComponent(rest.join("="))];
    }));
    const spec = words.get("world"), reward = words.get("reward");
    if (spec) {
      input("spec").value = spec;
      input("episodes").value = words.get("episodes") || "2000";
      input("seed").value = words.get("seed") || "1";
      this.explore(spec, Number(input("episodes").value), input("seed").value);
    }
    if (!reward) {
      this.remember();
      return this.showEmpty();
    }
    if (!this.paint.read(reward)) {
      this.paint.undo();
      this.complain("the reward in the address does not fit this world");
      return;
    }
    this.remember();
    this.changed(true);
  }

  // ------------------------------------------------------------------------ listening

  listen() {
    /** @param {string} id @param {string} kind @param {(event: Event) => void} then */
    const on = (id, kind, then) => element(id, HTMLElement).addEventListener(kind, then);
    this.listenToPointer();
    this.view.canvas.addEventListener("keydown", (event) => this.pressed(event));
    on("map", "focus", () => this.view.canvas.matches(":focus-visible") && this.move(0, 0));
    on("strength", "input", () => say("strength-shown", input("strength").value));
    on("step", "input", () => this.goTo(Number(input("step").value)));
    on("known", "input", () => this.recall());
    on("show-doubt", "change", () => this.changed(false));
    on("undo", "click", () => this.undo());
    on("clear", "click", () => { this.paint.clear(); this.changed(true); this.remember(); });
    on("walk", "click", () => this.walk());
    on("copy", "click", () => this.copy());
    on("mode", "change", () => { this.mode = Number(select("mode").value); this.changed(true); this.remember(); });
    on("stop", "click", () => this.worker.postMessage({ kind: "stop" }));
    on("explore-form", "submit", (event) => {
      event.preventDefault();
      this.explore(input("spec").value, Number(input("episodes").value), input("seed").value);
    });
    new ResizeObserver(() => this.arrange()).observe(element("stage", HTMLElement));
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.arrange());
    window.addEventListener("hashchange", () => { this.paint.clear(); this.followLink(); });
  }
}

async function main() {
  const bundle = JSON.parse(element("run", HTMLElement).textContent || "{}");
  const wasm = await unpack(element("wasm", HTMLElement).textContent || "");
  const engine = await Engine.create(wasm);
  bundle.modelBytes = await unpack(bundle.model);
  /** @type {Source} */
  const source = {
    model: bundle.modelBytes,
    settings: bundle.settings || [],
    clusters: bundle.clusters,
    given: bundle.given,
    state: bundle.state && (await unpack(bundle.state)),
  };
  engine.open(source);
  const playground = new Playground(engine, wasm, bundle);
  playground.listWorlds();
  playground.open(source);
  if (!bundle.state) {
    element("explore", HTMLDetailsElement).open = true;
    input("spec").value = bundle.name;
  }
  playground.listen();
  const states = [];
  for (const [episodes, packed] of bundle.history || []) states.push({ episodes, state: await unpack(packed) });
  if (source.state) playground.remindOf([...states, { episodes: engine.episodes(), state: source.state }]);
  playground.followLink();
  Object.assign(window, { playground });
}

main().catch((error) => say("about", `The playground did not start: ${error.message}`));
