// view.js - the picture: the map, or where there is none a list of states, with the reward, the
// policy of one step, the doubt, the cursor and whoever walks.
"use strict";

/** @typedef {ReturnType<Engine["describe"]>} World */

/**
 * What is to be seen.
 * @typedef {object} Scene
 * @property {World} world
 * @property {Paint} paint
 * @property {Int32Array | null} policy
 * @property {number} step
 * @property {number[]} doubt share of each state, as a part of the largest; empty: not shown
 * @property {number} cursor the state under the keyboard's cursor; -1: none
 * @property {number[]} trail states that the walker has been to
 * @property {[number, number][]} path the same where there are real states, in cells; empty: there are none
 * @property {number[]} differing states in which another plan does something else
 * @property {number} asked the state that a question is about; -1: none
 * @property {boolean} answered
 */

const DIRECTIONS = new Map([
  ["left", [-1, 0]], ["right", [1, 0]], ["up", [0, -1]], ["down", [0, 1]],
  ["west", [-1, 0]], ["east", [1, 0]], ["north", [0, -1]], ["south", [0, 1]],
]);
const SHOWN = 600; // tiles of a list
// Of actions that are no directions, on a map: told apart also by whoever sees few colours, and by their letters.
const TINTS = ["#0072b2", "#8c8c8c", "#009e73", "#d55e00", "#cc79a7", "#f0e442", "#56b4e9"];

/**
 * "↑ up", where the name is a direction.
 * @param {string} name
 */
function nameWithArrow(name) {
  const toward = DIRECTIONS.get(name);
  return toward ? `${toward[0] < 0 ? "←" : toward[0] > 0 ? "→" : toward[1] < 0 ? "↑" : "↓"} ${name}` : name;
}

class View {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    /** @type {{x: number, y: number, w: number, h: number}[]} where each state lies, in pixels */
    this.box = [];
    /** @type {Map<number, number[]>} states by cell of the map */
    this.states = new Map();
    this.size = 10;
    this.extent = [0, 0];
    this.list = true;
    this.tinted = false; // are actions shown as colours?
    this.pencil = "";
    this.tiles = { cols: 1, w: 1, h: 1 };
    /** @type {World | null} */
    this.world = null;
  }

  /**
   * Finds a place for each state in the width that there is.
   * @param {World} world @param {number} width @param {number} height
   */
  layOut(world, width, height) {
    this.world = world;
    this.list = world.rows * world.cols === 0 || world.rows === 1 || world.cols === 1;
    this.tinted = !this.list && world.actionName.filter((name) => DIRECTIONS.has(name)).length < world.actions - 1;
    if (this.list) this.layList(world, width);
    else this.layMap(world, width, height);
    const scale = window.devicePixelRatio || 1, { canvas } = this;
    const [w, h] = this.extent;
    canvas.style.width = `${w}px`;
    canvas.style.height = `${h}px`;
    canvas.width = Math.round(w * scale);
    canvas.height = Math.round(h * scale);
    this.pen.setTransform(scale, 0, 0, scale, 0, 0);
    this.colours = this.readColours();
  }

  /** @param {World} world @param {number} width @param {number} height */
  layMap(world, width, height) {
    const fit = Math.min(width / world.cols, height / world.rows, 80);
    this.size = fit >= 8 ? Math.floor(fit) : Math.max(fit, 2);
    const size = this.size;
    this.states.clear();
    this.box = world.cell.map((cell, s) => {
      this.states.set(cell, [...(this.states.get(cell) || []), s]);
      return { x: (cell % world.cols) * size, y: Math.floor(cell / world.cols) * size, w: size, h: size };
    });
    this.extent = [world.cols * size, world.rows * size];
  }

  /** @param {World} world @param {number} width */
  layList(world, width) {
    const longest = world.stateName.reduce((most, name) => Math.max(most, name.length), 1);
    const wanted = Math.min(Math.max(110, 8 * longest + 70), 260, width);
    const cols = Math.max(1, Math.min(Math.floor(width / wanted), Math.ceil(world.states / 4)));
    this.tiles = { cols, w: Math.floor(width / cols), h: 44 };
    const shown = Math.min(world.states, SHOWN);
    this.box = Array.from({ length: shown }, (_, s) => ({
      x: (s % cols) * this.tiles.w, y: Math.floor(s / cols) * 44, w: this.tiles.w - 4, h: 40,
    }));
    this.extent = [cols * this.tiles.w, Math.ceil(shown / cols) * 44];
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    /** @param {string} name */
    const of = (name) => style.getPropertyValue(name).trim();
    return {
      ink: of("--ink"), paper: of("--paper"), floor: of("--floor"), faint: of("--faint"),
      quiet: of("--quiet"), reward: of("--reward"), doubt: of("--doubt"), accent: of("--accent"),
    };
  }

  /**
   * States at a place of the canvas, and around it.
   * @param {number} x @param {number} y @param {number} brush @returns {number[]}
   */
  statesAt(x, y, brush) {
    const world = this.world;
    if (!world) return [];
    const reach = (brush - 1) / 2;
    if (this.list) {
      const col = Math.floor(x / this.tiles.w), s = Math.floor(y / this.tiles.h) * this.tiles.cols + col;
      if (col < 0 || col >= this.tiles.cols || s < 0 || s >= this.box.length) return [];
      return this.around(s, brush);
    }
    const col = Math.floor(x / this.size), row = Math.floor(y / this.size);
    const found = [];
    for (let r = row - reach; r <= row + reach; r++)
      for (let c = col - reach; c <= col + reach; c++)
        if (r >= 0 && r < world.rows && c >= 0 && c < world.cols)
          found.push(...(this.states.get(r * world.cols + c) || []));
    return found;
  }

  /**
   * A state and its neighbours, as the brush has them.
   * @param {number} state @param {number} brush
   */
  around(state, brush) {
    if (!this.list) {
      const box = this.box[state];
      return this.statesAt(box.x + box.w / 2, box.y + box.h / 2, brush);
    }
    const reach = (brush - 1) / 2, found = [];
    for (let s = state - reach; s <= state + reach; s++) if (s >= 0 && s < this.box.length) found.push(s);
    return found;
  }

  /**
   * The next state in a direction; the same one if there is none.
   * @param {number} state @param {number} dx @param {number} dy
   */
  beside(state, dx, dy) {
    const world = this.world;
    if (!world) return state;
    if (this.list) {
      const next = state + dx + dy * this.tiles.cols;
      return next >= 0 && next < this.box.length ? next : state;
    }
    let row = Math.floor(world.cell[state] / world.cols) + dy, col = (world.cell[state] % world.cols) + dx;
    for (; row >= 0 && row < world.rows && col >= 0 && col < world.cols; row += dy, col += dx) {
      const found = this.states.get(row * world.cols + col); // walls are jumped over
      if (found) return found[0];
    }
    return state;
  }

  /** @param {Scene} scene */
  draw(scene) {
    const { pen } = this, [w, h] = this.extent;
    this.colours = this.colours || this.readColours();
    pen.clearRect(0, 0, w, h);
    for (let s = 0; s < this.box.length; s++) if (scene.world.cell[s] >= 0 || this.list) this.drawState(scene, s);
    for (const s of scene.differing) if (this.box[s]) this.flag(this.box[s]);
    this.drawTrail(scene);
    if (scene.asked >= 0 && this.box[scene.asked]) this.question(this.box[scene.asked], scene.answered);
    if (scene.cursor >= 0 && this.box[scene.cursor]) this.outline(this.box[scene.cursor], this.colours.accent, 3);
  }

  /** @param {Scene} scene @param {number} s */
  drawState(scene, s) {
    const { pen, colours: c } = this, box = this.box[s], gap = this.size >= 6 ? 1 : 0;
    if (!c) return;
    const here = scene.paint.at(scene.step, s), row = scene.paint.value.get(s);
    pen.fillStyle = c.floor;
    pen.fillRect(box.x, box.y, box.w - gap, box.h - gap);
    // A painted reward depends on the state alone: in the last step every action is as good as any other.
    const policy = scene.paint.empty || scene.step === scene.world.horizon - 1 ? null : scene.policy;
    const action = policy ? policy[scene.step * scene.world.states + s] : -1;
    if (action >= 0 && this.tinted) {
      pen.globalAlpha = 0.32;
      pen.fillStyle = TINTS[action % TINTS.length];
      pen.fillRect(box.x, box.y, box.w - gap, box.h - gap);
      pen.globalAlpha = 1;
    }
    if (here > 0) {
      pen.globalAlpha = this.list ? 0.5 : 0.2 + 0.75 * here; // names are read through the bars of a list
      pen.fillStyle = c.reward;
      pen.fillRect(box.x, box.y, (this.list ? here : 1) * (box.w - gap), box.h - gap);
      pen.globalAlpha = 1;
    } else if (row) this.corner(box, c.reward);
    if (scene.doubt[s] > 0) this.hatch(this.list ? { ...box, x: box.x + box.w - box.h, w: box.h } : box, scene.doubt[s]);
    this.pencil = here > 0.4 && !this.list ? "#14181d" : c.ink; // on bright paint, also in the dark
    if (this.list) this.drawTile(scene, s, action);
    else if (action >= 0) this.drawAction(scene.world, box, action);
    if (scene.world.initial[s] > 0 && !this.list) this.start(box);
  }

  /**
   * Where episodes begin: a ring.
   * @param {{x: number, y: number, w: number, h: number}} box
   */
  start(box) {
    const { pen, colours: c } = this;
    if (!c) return;
    pen.strokeStyle = c.accent;
    pen.lineWidth = Math.max(1, box.w / 14);
    pen.beginPath();
    pen.arc(box.x + box.w / 2, box.y + box.h / 2, box.w * 0.4, 0, 7);
    pen.stroke();
  }

  /**
   * Two plans differ here: a corner at the bottom right.
   * @param {{x: number, y: number, w: number, h: number}} box
   */
  flag(box) {
    const { pen, colours: c } = this, side = Math.max(4, Math.min(box.w, box.h) * 0.34);
    const right = box.x + box.w - 1, bottom = box.y + box.h - 1;
    if (!c) return;
    pen.fillStyle = c.accent;
    pen.beginPath();
    pen.moveTo(right, bottom);
    pen.lineTo(right - side, bottom);
    pen.lineTo(right, bottom - side);
    pen.fill();
  }

  /**
   * What is to be done here? With the answer, the arrow comes back.
   * @param {{x: number, y: number, w: number, h: number}} box @param {boolean} answered
   */
  question(box, answered) {
    const { pen, colours: c } = this, side = Math.max(Math.min(box.w, box.h), 14);
    if (!c) return;
    const x = this.list ? box.x + box.w - side / 2 - 2 : box.x + box.w / 2, y = box.y + box.h / 2;
    this.outline(box, c.accent, 3);
    if (answered) return;
    pen.fillStyle = c.accent;
    pen.beginPath();
    pen.arc(x, y, side * 0.36, 0, 7);
    pen.fill();
    pen.fillStyle = c.paper;
    pen.font = `700 ${Math.round(side * 0.5)}px system-ui, sans-serif`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText("?", x, y + 1);
  }

  /**
   * Painted, but not for this step.
   * @param {{x: number, y: number, w: number, h: number}} box @param {string} colour
   */
  corner(box, colour) {
    const { pen } = this, side = Math.min(box.w, box.h) * 0.45;
    pen.fillStyle = colour;
    pen.beginPath();
    pen.moveTo(box.x, box.y);
    pen.lineTo(box.x + side, box.y);
    pen.lineTo(box.x, box.y + side);
    pen.fill();
  }

  /**
   * Doubt: stripes, the denser the more, told apart without colours.
   * @param {{x: number, y: number, w: number, h: number}} box @param {number} share
   */
  hatch(box, share) {
    const { pen, colours: c } = this;
    if (!c) return;
    const lines = this.size < 8 && !this.list ? 1 : 1 + Math.round(4 * share), side = Math.min(box.w, box.h);
    pen.strokeStyle = c.doubt;
    pen.lineWidth = Math.max(1, (0.4 + 1.6 * share) * Math.min(side / 16, 1.6));
    pen.beginPath();
    for (let i = 1; i <= lines; i++) {
      const at = (2 * side * i) / (lines + 1);
      pen.moveTo(box.x + Math.max(0, at - side), box.y + Math.min(at, side));
      pen.lineTo(box.x + Math.min(at, side), box.y + Math.max(0, at - side));
    }
    pen.stroke();
  }

  /** @param {World} world @param {{x: number, y: number, w: number, h: number}} box @param {number} action */
  drawAction(world, box, action) {
    const { pen, colours: c } = this, x = box.x + box.w / 2, y = box.y + box.h / 2;
    const toward = DIRECTIONS.get(world.actionName[action]);
    if (!c || box.w < 4) return;
    if (!toward) return this.symbol(world.actionName[action], x, y, box.w);
    const [dx, dy] = toward, reach = 0.28 * box.w, wing = 0.17 * box.w;
    pen.strokeStyle = this.pencil;
    pen.lineWidth = Math.max(1, box.w / 16);
    pen.beginPath();
    pen.moveTo(x - reach * dx, y - reach * dy);
    pen.lineTo(x + reach * dx, y + reach * dy);
    pen.moveTo(x + reach * dx - wing * (dx + dy), y + reach * dy - wing * (dy + dx));
    pen.lineTo(x + reach * dx, y + reach * dy);
    pen.lineTo(x + reach * dx - wing * (dx - dy), y + reach * dy - wing * (dy - dx));
    pen.stroke();
  }

  /**
   * The beginning of an action's name.
   * @param {string} name @param {number} x @param {number} y @param {number} size
   */
  symbol(name, x, y, size) {
    const { pen, colours: c } = this, text = name === "stay" ? "•" : name.slice(0, size >= 30 ? 3 : 1);
    if (!c || size < 9) return;
    pen.fillStyle = this.pencil;
    pen.font = `${Math.round(size * (text.length > 1 ? 0.36 : 0.55))}px system-ui, sans-serif`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(text, x, y);
  }

  /**
   * A state of a list: its name, its reward as a bar, the action.
   * @param {Scene} scene @param {number} s @param {number} action
   */
  drawTile(scene, s, action) {
    const { pen, colours: c } = this, box = this.box[s];
    if (!c) return;
    this.outline(box, scene.world.initial[s] > 0 ? c.accent : c.faint, scene.world.initial[s] > 0 ? 2 : 1);
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    pen.font = "600 14px system-ui, sans-serif";
    pen.fillStyle = c.ink;
    pen.fillText(scene.world.stateName[s], box.x + 9, box.y + 14, box.w - 18);
    if (action < 0) return;
    const name = scene.world.actionName[action], text = nameWithArrow(name);
    pen.font = "13px system-ui, sans-serif";
    pen.fillText(text === name ? `→ ${name}` : text, box.x + 9, box.y + 30, box.w - 18);
  }

  /** @param {{x: number, y: number, w: number, h: number}} box @param {string} colour @param {number} width */
  outline(box, colour, width) {
    this.pen.strokeStyle = colour;
    this.pen.lineWidth = width;
    this.pen.strokeRect(box.x + width / 2, box.y + width / 2, box.w - width - 1, box.h - width - 1);
  }

  /** @param {Scene} scene */
  drawTrail(scene) {
    const { pen, colours: c, box } = this, states = scene.trail.filter((s) => box[s]);
    const real = scene.path.length > 0 && !this.list;
    /** @type {[number, number][]} */
    const at = real ? scene.path.map(([col, row]) => [(col + 0.5) * this.size, (row + 0.5) * this.size])
      : states.map((s) => [box[s].x + box[s].w / 2, box[s].y + box[s].h / 2]);
    if (!c || at.length === 0) return;
    const side = this.list ? 30 : Math.max(this.size, real ? 24 : 0), [x, y] = at[at.length - 1];
    pen.strokeStyle = c.accent;
    pen.fillStyle = c.accent;
    pen.lineJoin = "round";
    pen.globalAlpha = 0.6;
    pen.lineWidth = Math.max(2, side / 9);
    pen.beginPath();
    at.forEach((p, i) => (i === 0 || this.jumps(at[i - 1], p) ? pen.moveTo(...p) : pen.lineTo(...p)));
    pen.stroke();
    pen.globalAlpha = 1;
    pen.beginPath();
    pen.arc(x, y, Math.max(3, side * 0.26), 0, 7);
    pen.fill();
  }

  /**
   * Over half of the map at once: an angle that begins again.
   * @param {[number, number]} p @param {[number, number]} q
   */
  jumps(p, q) {
    return !this.list && (Math.abs(p[0] - q[0]) > this.extent[0] / 2 || Math.abs(p[1] - q[1]) > this.extent[1] / 2);
  }
}
