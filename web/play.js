// play.js - the page: listens to the controls, plans while somebody paints, and asks the worker for
// what takes longer.
"use strict";

const still = window.matchMedia("(prefers-reduced-motion: reduce)");

class Playground {
  /** @param {Engine} engine @param {Uint8Array} wasm @param {any} bundle what `foray play` put into the page */
  constructor(engine, wasm, bundle) {
    this.engine = engine;
    this.bundle = bundle;
    this.sheets = [new Sheet("A", "map"), new Sheet("B", "other")];
    this.active = 0;
    this.paired = false; // are both shown?
    this.panel = new Panel();
    this.guide = new Guide();
    this.hands = new Hands(this);
    this.quiz = new Questions(this);
    this.exploring = new Exploring(this);
    this.worker = this.startWorker(wasm);
    /** @type {World} */
    this.world = engine.describe();
    this.mode = 1;
    this.step = 0;
    this.requests = 0; // for certificates, so far
    this.origin = 0; // the number of the world
    /** @type {{episodes: number, state: Uint8Array}[]} */
    this.past = [];
    this.drawn = true;
    this.planTime = 0;
    this.walked = 0;
    this.walker = 0;
    this.frames = 0;
    this.certificateTime = 0;
    this.asked = 0;
  }

  /** The sheet that is painted on, and that the panel is about. */
  get sheet() {
    return this.sheets[this.active];
  }
  get paint() {
    return this.sheet.paint;
  }
  get view() {
    return this.sheet.view;
  }
  get shown() {
    return this.paired ? this.sheets : [this.sheets[0]];
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
    this.numbers = source.model === this.bundle.modelBytes ? this.bundle.number || null : null;
    // Numbers stand for states without names: those of the whole world.
    if (this.numbers) this.world.stateName = this.world.stateName.map((name, s) => (name === String(s) ? String(this.numbers[s]) : name));
    for (const sheet of this.sheets) {
      sheet.paint = new Paint(this.world.states, this.world.horizon);
      sheet.paint.number = this.numbers;
      sheet.policy = null;
      sheet.value = 0;
      sheet.forget();
      sheet.planned = true;
    }
    this.stopWalking();
    this.quiz.end();
    this.step = 0;
    this.hands.cursor = -1;
    const last = this.world.horizon - 1;
    for (const id of ["step", "from", "to"]) input(id).max = String(last);
    input("from").value = "0";
    input("to").value = String(last);
    this.findSystem(source);
    this.offerWalks();
    if (this.numbers) say("same", "The command gives the same value; its certificate may be larger, since it counts all laws of the world:");
    else say("same", "The command gives the same numbers:");
    this.arrange();
    this.nameActions();
    this.about();
    this.showStep();
  }

  /**
   * A built-in system behind the clusters, in whose real states plans can be tried.
   * @param {Source} source
   */
  findSystem(source) {
    const [system, clusters] = source.clusters ? String(this.bundle.world).split("@") : [];
    const own = /^(draws|accuracy|delta|seed|lipschitz|continue|model)=/;
    this.rolls = clusters !== undefined
      && this.engine.openSystem(system, clusters.split(",").filter((part) => !own.test(part)).join(","));
  }

  /** What colours stand for, where actions are colours; and what the map's axes are. */
  nameActions() {
    const { world } = this, legend = element("actions", HTMLElement);
    legend.hidden = !this.view.tinted;
    legend.replaceChildren(...world.actionName.flatMap((name, action) => {
      const key = document.createElement("span");
      key.className = "key action";
      key.style.setProperty("--tint", TINTS[action % TINTS.length]);
      return [key, name];
    }));
    const [across, down] = this.rolls ? this.engine.axes() : [];
    say("axes", across && across.name && down.name
      ? `across: ${across.name} from ${brief(across.from)} to ${brief(across.to)}; down: ${down.name} from ${brief(down.from)} to ${brief(down.to)}` : "");
  }

  /** Episodes can be followed in the world itself, in a system, or as they were recorded. */
  offerWalks() {
    const own = this.origin === 1, button = element("walk", HTMLButtonElement);
    this.recorded = own && this.bundle.episodes && !this.rolls ? this.bundle.episodes : [];
    const walks = this.world.walks && (this.isTrue || this.recorded.length === 0);
    button.hidden = !this.rolls && !walks && this.recorded.length === 0;
    button.textContent = this.rolls ? "Try it in the system" : this.recorded.length > 0 ? "Show a recorded episode" : "Follow an episode";
  }

  about() {
    const { world, bundle } = this, episodes = this.engine.episodes();
    const of = this.numbers ? ` of ${bundle.whole.toLocaleString("en")}, those that an episode can reach` : "";
    const size = `${world.states.toLocaleString("en")} states${of}, ${world.actions} actions, ${world.horizon} steps`;
    const who = this.origin === 1 && bundle.state ? ` by ${bundle.algorithm}` : "";
    const done = episodes > 0 ? `explored for ${episodes.toLocaleString("en")} episodes${who}, without a reward` : "not explored yet";
    // Of a program nothing is known but its sizes: then what was started is its name.
    const name = this.origin === 1 && world.name.startsWith("unstructured:") ? bundle.world.split("@states,")[0] : world.name;
    const part = world.states > SHOWN && this.view.list ? ` The first ${SHOWN} states are shown.` : "";
    say("about", `${name}: ${size}; ${done}.${part}`);
  }

  /** Fits the picture into the window. */
  arrange() {
    const room = element("main", HTMLElement), beside = window.matchMedia("(min-width: 62.01rem)").matches;
    const width = beside ? window.innerWidth - element("panel", HTMLElement).offsetWidth - 60 : room.clientWidth;
    // Two maps stand side by side where each has the width of a phone, otherwise one below the other.
    const pair = this.paired && width >= 640, each = pair ? (width - 28) / 2 : width;
    for (const sheet of this.shown)
      sheet.view.layOut(this.world, Math.max(each, 200), Math.max(260, window.innerHeight - 270));
    const stage = pair ? 2 * this.view.extent[0] + 28 : this.view.extent[0];
    document.documentElement.style.setProperty("--stage", `${stage}px`);
    element("legend", HTMLElement).classList.toggle("list", this.view.list);
    this.redraw();
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
    this.replanAll();
    this.remember();
  }

  // ------------------------------------------------------------------------ planning

  /** The picture is out of date. */
  redraw() {
    if (!this.drawn) return;
    this.drawn = false;
    requestAnimationFrame(() => this.frame());
  }

  /**
   * The reward of a sheet has changed, or what is known.
   * @param {Sheet} sheet
   */
  changed(sheet) {
    sheet.forget();
    sheet.wanted = ++this.requests;
    element("verdict", HTMLElement).dataset.doubt = "sought";
    this.stopWalking();
    this.quiz.question = null;
    window.clearTimeout(sheet.timer);
    sheet.timer = window.setTimeout(() => this.certify(sheet), this.hands.painting ? 120 : 0);
    this.redraw();
  }

  /** @param {number} mode */
  useMode(mode) {
    if (mode === this.mode) return;
    this.mode = mode;
    select("mode").value = String(mode);
    this.replanAll();
    this.remember();
  }

  replanAll() {
    for (const sheet of this.shown) this.changed(sheet);
  }

  frame() {
    this.drawn = true;
    this.frames++;
    for (const sheet of this.shown) if (!sheet.planned) this.plan(sheet);
    const differing = this.differing(), { quiz } = this;
    for (const sheet of this.shown) {
      const mine = sheet === this.sheet;
      sheet.view.draw({
        world: this.world, paint: sheet.paint, policy: quiz.on ? quiz.arrows(sheet) : sheet.policy, step: this.step,
        cursor: mine ? this.hands.cursor : -1, trail: sheet.trail, path: sheet.path, differing,
        doubt: input("show-doubt").checked && !quiz.on ? sheet.doubt : [],
        asked: quiz.question && mine ? quiz.question.state : -1, answered: quiz.answered >= 0,
      });
    }
    this.tell(differing);
  }

  /**
   * The words beside the picture.
   * @param {number[]} differing
   */
  tell(differing) {
    const explored = this.engine.episodes() > 0;
    this.panel.show(this.sheet, explored, this.isTrue, this.world);
    if (this.paired) this.panel.showPair(this.sheets, explored, differing, this.world);
    for (const id of ["more", "share"]) element(id, HTMLElement).hidden = !explored;
    say("caption", this.caption());
    element("next", HTMLElement).hidden = !(this.guide.on && explored && !this.quiz.on);
    element("caption", HTMLElement).dataset.of = this.guide.on && explored && !this.quiz.on ? `${this.guide.at + 1} of ${MINUTE.length}` : "";
  }

  caption() {
    const { result } = this.sheet;
    if (this.engine.episodes() === 0) return "Nothing is known about this world yet. Explore it first, without any reward.";
    if (this.quiz.on) return this.quiz.caption();
    if (this.guide.on && !(result && result.status !== "certified")) return MINUTE[this.guide.at];
    if (this.paint.empty) return MINUTE[0];
    if (!result) return "The arrows follow while you paint; the certificate when you pause.";
    if (result.status !== "certified") return "The arrows are the best plan under what was learnt; nothing is proved about it.";
    return result.optimal === "proved"
      ? "This reward was not known while exploring, and yet the plan is proved to be the best."
      : "No other policy can add more than the certificate. Stripes: where it comes from.";
  }

  /** States in which the two plans do different things at this step. @returns {number[]} */
  differing() {
    const [a, b] = this.sheets, found = [], from = this.step * this.world.states;
    if (!this.paired || a.paint.empty || b.paint.empty || !a.policy || !b.policy) return [];
    for (let s = 0; s < this.world.states; s++) if (a.policy[from + s] !== b.policy[from + s]) found.push(s);
    return found;
  }

  /** @param {Sheet} sheet */
  plan(sheet) {
    sheet.planned = true;
    const begun = performance.now();
    try {
      this.engine.plan(sheet.reward, this.mode, false);
      sheet.policy = this.engine.policy();
      const { numbers } = this.engine.result();
      sheet.value = this.mode === 1 ? numbers.plugin : NaN;
    } catch (error) {
      this.complain(error);
    }
    this.planTime = performance.now() - begun;
  }

  /** @param {Sheet} sheet */
  certify(sheet) {
    if (!sheet.planned) this.plan(sheet); // or the value would come after the answer
    if (sheet.paint.empty) {
      sheet.value = 0;
      sheet.places = [];
      return this.redraw();
    }
    this.asked = performance.now();
    this.worker.postMessage({ kind: "certify", id: sheet.wanted, sheet: sheet.letter, reward: sheet.reward, mode: this.mode });
  }

  /**
   * A message from the worker.
   * @param {any} message
   */
  hear(message) {
    if (message.kind === "failed") return this.complain(message.message);
    if (message.kind === "explored" && message.id === this.origin) return this.exploring.explored(message);
    const sheet = this.sheets.find((it) => it.wanted === message.id);
    if (!sheet) return;
    if (message.kind === "certified") {
      this.certificateTime = performance.now() - this.asked;
      sheet.policy = message.policy;
      sheet.result = message.result;
      sheet.value = message.result.numbers.expected;
      sheet.truth = message.truth;
      if (!this.hands.painting) this.guide.certified();
    }
    if (message.kind === "doubted") sheet.blame(message.places, this.world.states);
    this.redraw();
  }

  // ------------------------------------------------------------------------- showing

  /** @param {unknown} error */
  complain(error) {
    this.sheet.problem = error instanceof Error ? error.message : String(error);
    this.redraw();
  }

  /** Is the model's theta that of the world? Of runs, the command has told; what is explored here is the model. */
  get isTrue() {
    return this.origin > 1 || !this.bundle.state || this.bundle.true;
  }

  showStep() {
    input("step").value = String(this.step);
    say("step-shown", String(this.step));
    element("last", HTMLElement).hidden = this.paint.empty || this.step < this.world.horizon - 1;
  }

  /**
   * What is under the cursor or the pointer.
   * @param {number} state
   */
  showWhere(state) {
    const { world, paint, step } = this, { policy } = this.sheet;
    if (state < 0) return say("where", "");
    const its = policy && !paint.empty && !this.quiz.on ? policy[step * world.states + state] : null;
    const action = its === null ? "" : `, ${world.actionName[its] ?? "unreachable"}`;
    say("where", `state ${world.stateName[state]}: reward ${paint.at(step, state)} at step ${step}${action}`);
  }

  // ----------------------------------------------------------------------------- time

  /** @param {number} step */
  goTo(step) {
    this.step = Math.min(Math.max(0, step), this.world.horizon - 1);
    this.showStep();
    this.showWhere(this.hands.cursor);
    this.redraw();
  }

  stopWalking() {
    window.clearInterval(this.walker);
    for (const sheet of this.sheets) {
      sheet.trail = [];
      sheet.path = [];
    }
  }

  /**
   * An episode of a sheet's plan: in the system, in the world, or one that was recorded.
   * @param {Sheet} sheet @param {number} number @returns {{states: number[], path: [number, number][]}}
   */
  episode(sheet, number) {
    if (this.recorded.length > 0) return { states: this.recorded[number % this.recorded.length], path: [] };
    this.engine.plan(sheet.reward, this.mode, false);
    return this.rolls ? this.engine.roll(number) : { states: this.engine.walk(number), path: [] };
  }

  /** One episode, step by step, or at once for whoever wants things to stand still; of two plans both, with the same luck. */
  walk() {
    this.stopWalking();
    this.quiz.leave();
    const number = this.walked++, episodes = this.shown.map((sheet) => this.episode(sheet, number));
    const length = episodes[0].states.length;
    let t = still.matches ? length : 1;
    const tick = () => {
      this.shown.forEach((sheet, i) => {
        sheet.trail = episodes[i].states.slice(0, t);
        sheet.path = episodes[i].path.slice(0, t);
      });
      this.goTo(Math.min(t - 1, this.world.horizon - 1));
      if (t++ >= length) window.clearInterval(this.walker);
    };
    this.walker = window.setInterval(tick, 160);
    tick();
  }

  // ---------------------------------------------------------------------- two rewards

  /**
   * From now on this sheet is painted on, and spoken of.
   * @param {Sheet} sheet
   */
  choose(sheet) {
    const index = this.sheets.indexOf(sheet);
    if (index === this.active) return;
    this.active = index;
    this.hands.cursor = -1;
    this.sheets.forEach((it, i) => it.view.canvas.classList.toggle("chosen", this.paired && i === index));
    this.remember();
    this.redraw();
  }

  /**
   * Shows the second reward beside the first, or hides it.
   * @param {boolean} paired
   */
  pair(paired) {
    this.paired = paired;
    if (!paired) this.choose(this.sheets[0]);
    for (const id of ["pair", "sheet-b", "name-a"]) element(id, HTMLElement).hidden = !paired;
    element("compare", HTMLElement).setAttribute("aria-pressed", String(paired));
    element("frame", HTMLElement).classList.toggle("two", paired);
    this.sheets.forEach((it, i) => it.view.canvas.classList.toggle("chosen", paired && i === this.active));
    this.stopWalking();
    this.arrange();
    this.remember();
  }

  // -------------------------------------------------------------------------- sharing

  /** The reward as a link, a file and a command. */
  remember() {
    const link = this.sheets[0].paint.link(), { made: here } = this.exploring, made = here ? `${here}&` : "";
    const other = this.paired ? `&other=${this.sheets[1].paint.link()}` : "";
    history.replaceState(null, "", link || made || other ? `#${made}reward=${link}${other}` : " ");
    element("download", HTMLAnchorElement).href = `data:application/json,${encodeURIComponent(this.paint.file("painted", true))}`;
    const mode = this.mode === 1 ? "" : ` -m ${MODES[this.mode]}`;
    say("command", this.commands(mode));
  }

  /**
   * What gives the same numbers on a terminal: nothing yet without episodes, nor for what was known earlier.
   * @param {string} mode
   */
  commands(mode) {
    const now = this.past[this.past.length - 1], episodes = this.engine.episodes();
    if (episodes === 0 || (now && episodes !== now.episodes)) return "";
    const { explorer } = this.exploring, explore = explorer ? `foray explore ${explorer} -o run.foray\n` : "";
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

  // ------------------------------------------------------------------------ listening

  listen() {
    /** @param {string} id @param {string} kind @param {(event: Event) => void} then */
    const on = (id, kind, then) => element(id, HTMLElement).addEventListener(kind, then);
    for (const sheet of this.sheets) this.hands.listen(sheet);
    on("strength", "input", () => say("strength-shown", input("strength").value));
    on("step", "input", () => this.goTo(Number(input("step").value)));
    on("known", "input", () => this.recall());
    on("show-doubt", "change", () => this.redraw());
    on("undo", "click", () => this.hands.undo());
    on("clear", "click", () => { this.quiz.leave(); this.paint.clear(); this.changed(this.sheet); this.remember(); });
    on("walk", "click", () => this.walk());
    on("ask", "click", () => this.quiz.next());
    on("compare", "click", () => this.pair(!this.paired));
    on("next", "click", () => { this.guide.next(); this.redraw(); });
    on("copy", "click", () => this.copy());
    on("mode", "change", () => { this.quiz.leave(); this.useMode(Number(select("mode").value)); });
    on("stop", "click", () => this.worker.postMessage({ kind: "stop" }));
    on("explore-form", "submit", (event) => {
      event.preventDefault();
      this.exploring.explore(input("spec").value, Number(input("episodes").value), input("seed").value);
    });
    new ResizeObserver(() => this.arrange()).observe(element("stage", HTMLElement));
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.arrange());
    window.addEventListener("hashchange", () => { for (const sheet of this.sheets) sheet.paint.clear(); this.replanAll(); this.exploring.followLink(); });
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
  playground.exploring.listWorlds();
  playground.open(source);
  if (!bundle.state) {
    element("explore", HTMLDetailsElement).open = true;
    playground.exploring.chooseWorld(bundle.name);
  }
  playground.listen();
  const states = [];
  for (const [episodes, packed] of bundle.history || []) states.push({ episodes, state: await unpack(packed) });
  if (source.state) playground.remindOf([...states, { episodes: engine.episodes(), state: source.state }]);
  playground.exploring.followLink();
  Object.assign(window, { playground });
}

main().catch((error) => say("about", `The playground did not start: ${error.message}`));
