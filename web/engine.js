// engine.js - the library, compiled to WebAssembly, behind one class. The page has one of these and
// its worker another: they share nothing but messages.
"use strict";

/**
 * What an explorer is made of; bytes come from `foray play`, or from another engine.
 * @typedef {object} Source
 * @property {Uint8Array} [model] a model file
 * @property {string} [spec] or a built-in world, such as rooms:rows=3
 * @property {[string, string][]} settings
 * @property {boolean} [clusters] what was explored is a system seen through clusters
 * @property {string} [given] the reward of algorithms that explore for one, as JSON
 * @property {Uint8Array} [state] without it, nothing is explored yet
 *
 * @typedef {object} Numbers
 * @property {number} expected the value of the policy under the estimate
 * @property {number} low
 * @property {number} high
 * @property {number} optimistic
 * @property {number} plugin
 * @property {number} pessimistic
 * @property {number} gap the certificate
 * @property {number} delta
 * @property {number} vacuous
 *
 * @typedef {object} Certified
 * @property {Numbers} numbers
 * @property {string} optimal "proved", "rounding" or "no"
 * @property {string} status
 * @property {string} because
 * @property {string} radius
 *
 * @typedef {{step: number, state: number, action: number, share: number}} Place
 */

const MODES = ["optimistic", "plugin", "pessimistic"];

/**
 * What base64 stands for, unpacked.
 * @param {string} text @returns {Promise<Uint8Array>}
 */
async function unpack(text) {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new /** @type {any} */ (self).DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Engine {
  /** @param {Uint8Array} bytes */
  static async create(bytes) {
    const engine = new Engine();
    // The core reads no files and no clocks: what wasi-libc asks for is refused (52). That no directory
    // is open is what it hears of a bad descriptor (8); of anything else it would die before it begins.
    const refuse = new Proxy({}, { get: (_, name) => () => (name === "fd_prestat_get" ? 8 : 52) });
    const wasm = await WebAssembly.instantiate(bytes, { wasi_snapshot_preview1: refuse });
    engine.call = /** @type {any} */ (wasm.instance.exports);
    engine.call._initialize();
    engine.need(engine.call.play_close());
    return engine;
  }

  constructor() {
    /** @type {any} the exported functions of play.c */
    this.call = null;
  }

  /**
   * Throws the library's message if a call failed.
   * @param {number} status
   */
  need(status) {
    if (status !== 0) throw new Error(this.text(this.call.play_message()) || `error ${status}`);
  }

  /** @param {number} at @returns {string} */
  text(at) {
    if (at === 0) return "";
    const bytes = new Uint8Array(this.call.memory.buffer);
    return new TextDecoder().decode(bytes.slice(at, bytes.indexOf(0, at)));
  }

  /**
   * Lends bytes, and a final 0 behind them, to a call.
   * @template T @param {Uint8Array | string} what @param {(at: number, size: number) => T} use
   * @returns {T}
   */
  lend(what, use) {
    const bytes = typeof what === "string" ? new TextEncoder().encode(what) : what;
    const at = this.call.play_alloc(bytes.length + 1);
    if (at === 0) throw new Error("out of memory");
    const memory = new Uint8Array(this.call.memory.buffer);
    memory.set(bytes, at);
    memory[at + bytes.length] = 0;
    try {
      return use(at, bytes.length);
    } finally {
      this.call.play_free(at);
    }
  }

  /** @param {Source} source */
  open(source) {
    const call = this.call;
    this.need(call.play_close());
    if (source.model) this.need(this.lend(source.model, (at, size) => call.play_model(at, size)));
    else this.need(this.lend(source.spec || "", (at) => call.play_model(at, 0)));
    for (const [name, value] of source.settings)
      this.need(this.lend(name, (n) => this.lend(value, (v) => call.play_set(n, v))));
    this.need(call.play_begin());
    if (source.given) this.need(this.lend(source.given, (at) => call.play_give(at)));
    if (source.state) this.load(source.state);
  }

  /** @param {Uint8Array} state */
  load(state) {
    this.need(this.lend(state, (at, size) => this.call.play_load(at, size)));
  }

  /** @returns {Uint8Array} a copy of the explorer's state */
  save() {
    this.need(this.call.play_save());
    const at = this.call.play_state();
    return new Uint8Array(this.call.memory.buffer).slice(at, at + this.call.play_state_size());
  }

  /** Everything about the model that is drawn. */
  describe() {
    const call = this.call, states = call.play_states(), actions = call.play_actions();
    /** @param {number} count @param {(i: number) => any} of */
    const list = (count, of) => Array.from({ length: count }, (_, i) => of(i));
    return {
      name: this.text(call.play_name()),
      states,
      actions,
      horizon: /** @type {number} */ (call.play_horizon()),
      walks: call.play_walks() !== 0,
      rows: /** @type {number} */ (call.play_rows()),
      cols: /** @type {number} */ (call.play_cols()),
      cell: /** @type {number[]} */ (list(states, (s) => call.play_cell(s))),
      initial: /** @type {number[]} */ (list(states, (s) => call.play_initial(s))),
      stateName: /** @type {string[]} */ (
        list(states, (s) => this.text(call.play_state_name(s)) || String(s))
      ),
      actionName: /** @type {string[]} */ (
        list(actions, (a) => this.text(call.play_action_name(a)) || String(a))
      ),
    };
  }

  /**
   * Built-in worlds, each with a sentence.
   * @returns {[string, string][]}
   */
  worlds() {
    /** @type {[string, string][]} */
    const found = [];
    for (let i = 0; this.call.play_world_name(i) !== 0; i++)
      found.push([this.text(this.call.play_world_name(i)), this.text(this.call.play_world_summary(i))]);
    return found;
  }

  /** @returns {number} episodes that were explored */
  episodes() {
    return this.call.play_episodes();
  }

  /** @param {number} episodes */
  explore(episodes) {
    this.need(this.call.play_explore(episodes));
  }

  /**
   * Plans for the reward of a file.
   * @param {string} reward @param {number} mode @param {boolean} certified
   */
  plan(reward, mode, certified) {
    this.need(this.lend(reward, (at, size) => this.call.play_reward(at, size)));
    this.need(this.call.play_plan(mode, certified ? 1 : 0));
  }

  /** @returns {Int32Array} the policy of the last plan, [horizon][states] */
  policy() {
    const entries = this.call.play_states() * this.call.play_horizon();
    return new Int32Array(this.call.memory.buffer, this.call.play_policy(), entries).slice();
  }

  /** @returns {Certified} what the last plan is worth */
  result() {
    const of = new Float64Array(this.call.memory.buffer, this.call.play_numbers(), 9);
    const [expected, low, high, optimistic, plugin, pessimistic, gap, delta, vacuous] = of;
    return {
      numbers: { expected, low, high, optimistic, plugin, pessimistic, gap, delta, vacuous },
      optimal: this.text(this.call.play_optimal()),
      status: this.text(this.call.play_status()),
      because: this.text(this.call.play_because()),
      radius: this.text(this.call.play_radius()),
    };
  }

  /**
   * Why the certificate is not 0, largest shares first.
   * @returns {Place[]}
   */
  explain() {
    const call = this.call;
    this.need(call.play_explain());
    return Array.from({ length: call.play_places() }, (_, i) => ({
      step: call.play_place(i, 0),
      state: call.play_place(i, 1),
      action: call.play_place(i, 2),
      share: call.play_share(i),
    }));
  }

  /**
   * The states of an episode in which the last plan is obeyed.
   * @param {number} episode
   */
  walk(episode) {
    const states = [this.call.play_walk(episode, 0, 0)];
    for (let t = 1; t <= this.call.play_horizon(); t++)
      states.push(this.call.play_walk(episode, t, states[t - 1]));
    return states;
  }

  /**
   * The built-in system behind the clusters; false: there is none in the page.
   * @param {string} system @param {string} clusters
   */
  openSystem(system, clusters) {
    return this.lend(system, (s) => this.lend(clusters, (c) => this.call.play_system(s, c))) === 0;
  }

  /** What the axes of the map are, where a system is behind it: name, value at the left or top, at the right or bottom. */
  axes() {
    return [0, 1].map((vertical) => ({
      name: this.text(this.call.play_axis_name(vertical)),
      from: /** @type {number} */ (this.call.play_axis_end(vertical, 0)),
      to: /** @type {number} */ (this.call.play_axis_end(vertical, 1)),
    }));
  }

  /**
   * An episode of the last plan in the system itself: the clusters, and where in the map's cells
   * the real states lie; none of these without a map.
   * @param {number} episode @returns {{states: number[], path: [number, number][]}}
   */
  roll(episode) {
    this.need(this.call.play_roll(episode));
    const rows = this.call.play_horizon() + 1, mapped = this.call.play_rows() > 0;
    const all = new Float64Array(this.call.memory.buffer, this.call.play_path(), 3 * rows).slice();
    /** @type {[number, number][]} */
    const path = Array.from({ length: mapped ? rows : 0 }, (_, t) => [all[3 * t + 1], all[3 * t + 2]]);
    return { states: Array.from({ length: rows }, (_, t) => all[3 * t]), path };
  }

  /**
   * What each action is worth at a step in a state if the last plan is obeyed afterwards, under
   * the estimate; NaN: the state does not have it, or nobody knows.
   * @param {number} step @param {number} state @returns {number[]}
   */
  worth(step, state) {
    const actions = this.call.play_actions(), at = this.call.play_worth(step, state);
    if (at === 0) return new Array(actions).fill(NaN);
    return Array.from(new Float64Array(this.call.memory.buffer, at, actions));
  }
}
