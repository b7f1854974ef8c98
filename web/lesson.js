// lesson.js - for a first minute and for teachers: three captions that follow what somebody does,
// and the question "which arrow?", asked before the arrows are shown.
"use strict";

/** The first minute. Each caption stays until something has been done, or Next is pressed. */
const MINUTE = [
  "The explorer did not know any reward. Paint one: drag over some states.",
  "The arrows are the best plan for your reward, and the value is what it earns. The world was not visited again. Paint some more.",
  "The certificate says how much better any other policy could be. Stripes show where that doubt comes from. Change the reward, or what is known, and watch it.",
];

class Guide {
  constructor() {
    this.at = 0; // which caption; MINUTE.length: the minute is over
    this.strokes = 0;
  }

  get on() {
    return this.at < MINUTE.length;
  }

  next() {
    if (this.on) this.at++;
  }

  /** A certificate has come: what the caption asked for has been done, by hand or by a link. */
  certified() {
    this.at = Math.max(this.at, Math.min(Math.max(1, this.strokes), MINUTE.length));
  }
}

/**
 * A question: what does the plan do in this state at this step?
 * @typedef {{step: number, state: number, worth: number[], best: number}} Question
 */

class Quiz {
  constructor() {
    /** @type {Question | null} */
    this.question = null;
    this.answered = -1;
    this.asked = 0;
    this.right = 0;
    this.on = false;
    this.luck = 1;
  }

  begin() {
    this.on = true;
    this.asked = this.right = 0;
    this.question = null;
  }

  end() {
    this.on = false;
    this.question = null;
  }

  /**
   * Whole numbers below n, the same sequence in every browser, so that a class sees the same questions.
   * @param {number} n
   */
  draw(n) {
    this.luck = (Math.imul(this.luck, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.luck / 2 ** 32) * n);
  }

  /**
   * Asks about a place of an episode, one at which it matters what is done.
   * @param {number[]} states the episode @param {(step: number, state: number) => number[]} worthOf
   */
  ask(states, worthOf) {
    this.question = null;
    this.answered = -1;
    for (let tries = 0; tries < 40 && !this.question; tries++) {
      const step = this.draw(states.length - 1), state = states[step], worth = worthOf(step, state);
      const known = worth.filter((x) => !Number.isNaN(x));
      const best = Math.max(...known), least = Math.min(...known);
      if (known.length > 1 && best - least > 1e-9 * Math.max(1, Math.abs(best)))
        this.question = { step, state, worth, best };
    }
    return this.question !== null;
  }

  /**
   * Is an action as good as the plan's?
   * @param {number} action
   */
  holds(action) {
    const q = this.question;
    return q !== null && q.best - q.worth[action] <= 1e-9 * Math.max(1, Math.abs(q.best));
  }

  /** @param {number} action */
  answer(action) {
    const q = this.question;
    if (!q || this.answered >= 0 || Number.isNaN(q.worth[action])) return false;
    this.answered = action;
    this.asked++;
    if (this.holds(action)) this.right++;
    return true;
  }

  /** @param {World} world @param {number} planned the plan's own action */
  verdict(world, planned) {
    const q = this.question, mine = world.actionName[this.answered], plan = world.actionName[planned];
    if (!q || this.answered < 0) return "";
    const score = ` ${this.right} of ${this.asked} right.`;
    if (this.answered === planned) return `Right: ${plan}.${score}`;
    if (this.holds(this.answered)) return `Right: ${mine} is as good as ${plan}, which the plan chose.${score}`;
    return `The plan says ${plan}: ${mine} would earn ${brief(q.best - q.worth[this.answered])} less from here.${score}`;
  }
}

/** The questions on the page: what is asked, the buttons, what is said. */
class Questions extends Quiz {
  /** @param {Playground} playground */
  constructor(playground) {
    super();
    this.page = playground;
  }

  /**
   * The arrows that may be seen while a question is open: none; afterwards all.
   * @param {Sheet} sheet
   */
  arrows(sheet) {
    return this.question && this.answered >= 0 ? sheet.policy : null;
  }

  /** Asks for the action of a state, before any arrow is shown. */
  next() {
    const { page } = this, { engine, sheet } = page;
    if (sheet.paint.empty || engine.episodes() === 0) return;
    if (!this.on) this.begin();
    page.stopWalking();
    page.useMode(1); // worths are those under the estimate, for which this plan is the best
    engine.plan(sheet.reward, 1, false);
    sheet.policy = engine.policy();
    const states = page.world.walks ? engine.walk(page.walked++) : this.anywhere();
    const found = this.ask(states, (step, state) => engine.worth(step, state));
    if (this.question) page.goTo(this.question.step);
    say("ask", "Next question");
    this.offer(found);
    page.redraw();
  }

  /** Where nobody can walk, any state at any step. */
  anywhere() {
    const { world } = this.page;
    return Array.from({ length: world.horizon + 1 }, () => this.draw(world.states));
  }

  /**
   * A button for each action of the state, and one to leave.
   * @param {boolean} found
   */
  offer(found) {
    const box = element("answers", HTMLElement), q = this.question;
    /** @param {string} text @param {() => void} then */
    const make = (text, then) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = text;
      button.addEventListener("click", then);
      return button;
    };
    const answers = this.page.world.actionName.map((name, action) => {
      const button = make(nameWithArrow(name), () => this.choose(action));
      button.hidden = !q || Number.isNaN(q.worth[action]);
      return button;
    });
    const end = make("Show the arrows", () => this.leave());
    end.className = "plain";
    box.hidden = false;
    box.replaceChildren(...(found ? answers : []), end);
  }

  /** @param {number} action */
  choose(action) {
    if (!this.answer(action)) return false;
    for (const button of element("answers", HTMLElement).querySelectorAll("button"))
      button.disabled = button.className !== "plain";
    element("ask", HTMLElement).focus();
    this.page.redraw();
    return true;
  }

  /**
   * On the map, the arrow keys answer while a question is open.
   * @param {number[]} toward
   */
  chooseByKey(toward) {
    if (!this.question || this.answered >= 0) return false;
    const action = this.page.world.actionName.findIndex((name) => {
      const d = DIRECTIONS.get(name);
      return d !== undefined && d[0] === toward[0] && d[1] === toward[1];
    });
    return action >= 0 && this.choose(action);
  }

  caption() {
    const { world, sheet } = this.page, q = this.question;
    if (!q) return "There is nothing to ask here: under this reward all actions are worth the same, or it is not known what they are worth.";
    if (this.answered < 0) return `Which arrow? You are in the marked state ${world.stateName[q.state]} at step ${q.step} of ${world.horizon}. What is best?`;
    return sheet.policy ? this.verdict(world, sheet.policy[q.step * world.states + q.state]) : "";
  }

  leave() {
    if (!this.on) return;
    this.end();
    element("answers", HTMLElement).hidden = true;
    say("ask", "Which arrow?");
    this.page.redraw();
  }
}
