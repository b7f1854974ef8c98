// panel.js - the words and numbers beside the map: what is said about a reward and the plan for it.
// Names from models are only ever set as text.
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

/**
 * A reward, the plan for it, and what is known about that. There are two, A and B, of which B is
 * hidden until somebody compares.
 */
class Sheet {
  /** @param {string} letter @param {string} canvas */
  constructor(letter, canvas) {
    this.letter = letter;
    this.view = new View(element(canvas, HTMLCanvasElement));
    this.paint = new Paint(0, 0);
    /** @type {Int32Array | null} */
    this.policy = null;
    this.value = 0; // NaN: to be computed
    /** @type {Certified | null} null: to be computed */
    this.result = null;
    this.truth = [NaN, NaN]; // what the policy is worth in the model's theta, and the best there
    this.problem = "";
    /** @type {number[]} share of each state */
    this.doubt = [];
    /** @type {Place[] | null} null: still sought */
    this.places = null;
    this.wanted = 0; // the number of the last request for a certificate
    this.planned = true; // does the policy belong to the reward?
    this.timer = 0;
    /** @type {number[]} */
    this.trail = [];
    /** @type {[number, number][]} the same in real states, in cells of the map */
    this.path = [];
  }

  get reward() {
    return this.paint.file("painted");
  }

  /** What was said belongs to another reward, or to other data. */
  forget() {
    this.planned = false;
    this.result = null;
    this.problem = "";
    this.doubt = [];
    this.places = null;
    this.truth = [NaN, NaN];
  }

  /**
   * Where the doubt is, as parts of the largest.
   * @param {Place[]} places @param {number} states
   */
  blame(places, states) {
    const share = new Array(states).fill(0);
    for (const place of places) share[place.state] += place.share;
    const most = share.reduce((a, b) => Math.max(a, b), 0);
    this.doubt = most > 0 ? share.map((x) => (x < most / 20 ? 0 : x / most)) : [];
    this.places = places;
  }
}

/**
 * What the panel says about a sheet.
 * @typedef {{state: string, word: string, text: string}} Verdict
 */

/** @param {Sheet} sheet @param {boolean} explored @returns {Verdict} */
function verdictOn(sheet, explored) {
  const { result } = sheet;
  if (sheet.problem !== "") return { state: "failed", word: "That did not work", text: sheet.problem };
  if (!explored) return { state: "none", word: "Not explored yet", text: "Explore the world first: below." };
  if (sheet.paint.empty) return { state: "none", word: "No reward yet", text: "Paint one: drag over some states." };
  if (!result) return { state: "computing", word: "Computing …", text: "the certificate follows" };
  const n = result.numbers, sure = `${brief(100 * (1 - n.delta))}%`;
  if (result.status !== "certified")
    return Number.isFinite(n.gap)
      ? { state: "open", word: `Perhaps ${atMost(n.gap)} below the best`, text: `${result.status}: ${result.because}.` }
      : { state: "open", word: "No certificate", text: `${result.because}.` };
  if (result.optimal === "proved") return { state: "optimal", word: "Proved optimal", text: `No policy is better, with probability at least ${sure}.` };
  if (result.optimal === "rounding") return { state: "optimal", word: "Optimal up to rounding", text: `No policy is better by more than ${atMost(n.gap)}, with probability at least ${sure}.` };
  if (n.vacuous) return { state: "open", word: "Nothing certain yet", text: "The certificate is as large as rewards allow: more episodes are needed." };
  return { state: "certified", word: `At most ${atMost(n.gap)} below the best`, text: `Certified, with probability at least ${sure}.` };
}

class Panel {
  /**
   * Everything about one sheet.
   * @param {Sheet} sheet @param {boolean} explored @param {boolean} isTrue is the model's theta that of the world?
   * @param {World} world
   */
  show(sheet, explored, isTrue, world) {
    const shown = element("value", HTMLOutputElement), { result } = sheet, verdict = element("verdict", HTMLElement);
    const said = verdictOn(sheet, explored);
    shown.textContent = Number.isNaN(sheet.value) ? "…" : brief(sheet.value);
    shown.title = shown.dataset.value = Number.isNaN(sheet.value) ? "" : String(sheet.value);
    verdict.dataset.state = said.state;
    verdict.dataset.doubt = sheet.places ? "known" : "sought";
    say("verdict-word", said.word);
    say("verdict-text", said.text);
    for (const id of ["interval", "small", "truth"]) if (!result) say(id, "");
    if (result) this.showNumbers(sheet, result, isTrue);
    this.showPlaces(sheet, world);
  }

  /** @param {Sheet} sheet @param {Certified} result @param {boolean} isTrue */
  showNumbers(sheet, result, isTrue) {
    const n = result.numbers, { dataset } = element("verdict", HTMLElement), [value, best] = sheet.truth;
    dataset.gap = String(n.gap);
    dataset.low = String(n.low);
    dataset.high = String(n.high);
    const laws = result.status === "certified" ? "that fits the data" : "of the confidence set";
    say("interval", Number.isFinite(n.low) ? `between ${brief(n.low)} and ${brief(n.high)} under every law ${laws}` : "");
    say("small", `optimistic ${brief(n.optimistic)}, plug-in ${brief(n.plugin)}, pessimistic ${brief(n.pessimistic)}; radius ${result.radius}`);
    const where = isTrue ? "in the true world" : "under the model's own theta, which need not be the world's,";
    say("truth", Number.isNaN(value) ? "" : `${where} ${brief(value)}; the best policy there ${brief(best)}`);
  }

  /** @param {Sheet} sheet @param {World} world */
  showPlaces(sheet, world) {
    const { policy, places } = sheet, list = element("places", HTMLElement);
    list.replaceChildren(...(places || []).slice(0, 3).map(({ step, state, action, share }) => {
      const item = document.createElement("li");
      const own = policy && policy[step * world.states + state] === action;
      const what = own ? "what follows may be worse" : `${world.actionName[action]} might be better`;
      item.textContent = `step ${step}, state ${world.stateName[state]}: ${what} (${atMost(share)})`;
      return item;
    }));
    element("reasons", HTMLElement).hidden = !sheet.result;
    say("nowhere", this.whyNowhere(sheet));
  }

  /** @param {Sheet} sheet */
  whyNowhere({ places, result }) {
    if (!result || (places && places.length > 0)) return "";
    if (!places) return "computing …";
    if (result.optimal === "proved") return "Nowhere: the policy is proved optimal.";
    return result.optimal === "rounding" ? "Nowhere: the policy is optimal up to rounding."
      : "A certificate of this kind cannot be traced to places.";
  }

  /**
   * Two rewards side by side: a row for each, and where their plans differ.
   * @param {Sheet[]} sheets @param {boolean} explored @param {number[]} differing states at this step
   * @param {World} world
   */
  showPair(sheets, explored, differing, world) {
    const rows = sheets.map((sheet) => {
      const row = document.createElement("tr"), said = verdictOn(sheet, explored);
      row.id = `row-${sheet.letter}`;
      row.dataset.state = said.state;
      row.dataset.gap = sheet.result ? String(sheet.result.numbers.gap) : "";
      row.dataset.value = String(sheet.value);
      for (const text of [sheet.letter, Number.isNaN(sheet.value) ? "…" : brief(sheet.value), said.word]) {
        const cell = document.createElement(text === sheet.letter ? "th" : "td");
        if (text === sheet.letter) cell.scope = "row";
        cell.textContent = text;
        row.append(cell);
      }
      return row;
    });
    element("pair-rows", HTMLElement).replaceChildren(...rows);
    const both = sheets.every((sheet) => !sheet.paint.empty);
    if (!both) return say("differ", `Paint reward ${sheets[0].paint.empty ? "A" : "B"} as well: what the plans do differently is marked on both maps.`);
    const names = differing.slice(0, 4).map((s) => world.stateName[s]).join(", ") + (differing.length > 4 ? " …" : ".");
    const n = differing.length;
    say("differ", n === 0 ? "At this step both plans do the same everywhere."
      : `At this step the plans differ in ${n} of ${world.states.toLocaleString("en")} state${world.states === 1 ? "" : "s"}: ${names}`);
  }
}
