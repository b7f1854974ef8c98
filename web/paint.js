// paint.js - a reward as it is painted: a number for each step and state, what was before each
// stroke, and the two forms in which it is shared: a file for `foray plan`, and a link.
"use strict";

class Paint {
  /** @param {number} states @param {number} horizon */
  constructor(states, horizon) {
    this.states = states;
    this.horizon = horizon;
    /** @type {Map<number, Float64Array>} r_t(s) of the states that were painted */
    this.value = new Map();
    /** @type {Map<number, Float64Array | undefined>[]} what each stroke covered */
    this.strokes = [];
    /** @type {number[] | null} the states' numbers elsewhere, where the page has only a part of them */
    this.number = null;
  }

  get empty() {
    return this.value.size === 0;
  }

  /** @param {number} step @param {number} state */
  at(step, state) {
    const row = this.value.get(state);
    return row ? row[step] : 0;
  }

  begin() {
    this.strokes.push(new Map());
    if (this.strokes.length > 200) this.strokes.shift();
  }

  /**
   * Paints a state from step `from` to step `to`.
   * @param {number} state @param {number} from @param {number} to @param {number} value
   */
  set(state, from, to, value) {
    const before = this.value.get(state);
    const stroke = this.strokes[this.strokes.length - 1];
    if (stroke && !stroke.has(state)) stroke.set(state, before && before.slice());
    const row = before || new Float64Array(this.horizon);
    row.fill(value, from, to + 1);
    if (row.some((x) => x !== 0)) this.value.set(state, row);
    else this.value.delete(state);
  }

  undo() {
    const stroke = this.strokes.pop();
    if (!stroke) return false;
    for (const [state, row] of stroke)
      if (row) this.value.set(state, row);
      else this.value.delete(state);
    return true;
  }

  clear() {
    this.begin();
    for (const state of [...this.value.keys()]) this.set(state, 0, this.horizon - 1, 0);
  }

  /**
   * Stretches of steps in which a state is worth the same.
   * @returns {{state: number, from: number, to: number, value: number}[]}
   */
  pieces() {
    const found = [];
    for (const state of [...this.value.keys()].sort((a, b) => a - b)) {
      const row = /** @type {Float64Array} */ (this.value.get(state));
      for (let from = 0, to; from < this.horizon; from = to + 1) {
        for (to = from; to + 1 < this.horizon && row[to + 1] === row[from]; to++);
        if (row[from] !== 0) found.push({ state, from, to, value: row[from] });
      }
    }
    return found;
  }

  /**
   * A reward file; `shared`, for all of the world and not only the part that the page has.
   * @param {string} name @param {boolean} [shared] @returns {string}
   */
  file(name, shared = false) {
    const entries = [], number = shared ? this.number : null;
    for (const { state: own, from, to, value } of this.pieces()) {
      const state = number ? number[own] : own;
      if (from === 0 && to === this.horizon - 1) entries.push(`[null,${state},null,${value}]`);
      else for (let t = from; t <= to; t++) entries.push(`[${t},${state},null,${value}]`);
    }
    return `{"format":"foray-reward","version":1,"name":${JSON.stringify(name)},"default":0,"entries":[${entries.join(",")}]}\n`;
  }

  /**
   * "0-29:0.5:3,7-9;10-12:1:4" - steps, value, states.
   * @returns {string}
   */
  link() {
    /** @type {Map<string, number[]>} */
    const groups = new Map();
    for (const { state, from, to, value } of this.pieces()) {
      const key = `${from}-${to}:${value}`;
      groups.set(key, [...(groups.get(key) || []), state]);
    }
    return [...groups].map(([key, states]) => `${key}:${ranges(states)}`).join(";");
  }

  /**
   * Paints what a link says; false: it does not fit this world.
   * @param {string} text
   */
  read(text) {
    this.begin();
    for (const group of text.split(";").filter((g) => g !== "")) {
      const match = /^(\d+)-(\d+):([0-9.e-]+):([\d,-]+)$/.exec(group);
      if (!match) return false;
      const [from, to, value] = [Number(match[1]), Number(match[2]), Number(match[3])];
      if (!(from <= to && to < this.horizon && value >= 0 && value <= 1)) return false;
      for (const part of match[4].split(",")) {
        const ends = part.split("-").map(Number), first = ends[0], last = ends[ends.length - 1];
        if (!(first <= last && last < this.states)) return false;
        for (let s = first; s <= last; s++) this.set(s, from, to, value);
      }
    }
    return true;
  }
}

/**
 * 3,4,5,9 as "3-5,9".
 * @param {number[]} states ascending
 */
function ranges(states) {
  const parts = [];
  for (let i = 0, j; i < states.length; i = j + 1) {
    for (j = i; j + 1 < states.length && states[j + 1] === states[j] + 1; j++);
    parts.push(i === j ? `${states[i]}` : `${states[i]}-${states[j]}`);
  }
  return parts.join(",");
}
