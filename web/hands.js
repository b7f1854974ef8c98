// hands.js - strokes on the map: by the pointer, a finger or the keyboard.
"use strict";

class Hands {
  /** @param {Playground} playground */
  constructor(playground) {
    this.page = playground;
    this.painting = false; // is a stroke under way?
    this.cursor = -1; // the state under the keyboard's cursor; -1: none
  }

  get brush() {
    return Number(select("brush").value);
  }

  get erasing() {
    return element("tools", HTMLElement).querySelector("input[value=erase]:checked") !== null;
  }

  /** @param {number[]} states @param {boolean} erase */
  stroke(states, erase) {
    const { page } = this, last = page.world.horizon - 1;
    const from = Math.min(Math.max(0, Number(input("from").value)), last);
    const to = Math.min(Math.max(from, Number(input("to").value)), last);
    for (const s of states) page.paint.set(s, from, to, erase ? 0 : Number(input("strength").value));
    if (states.length > 0) page.changed(page.sheet);
  }

  undo() {
    const { page } = this;
    if (page.paint.undo()) page.changed(page.sheet);
    page.remember();
  }

  // ------------------------------------------------------------------------ the pointer

  /** @param {Sheet} sheet @param {PointerEvent} event */
  pointed(sheet, event) {
    const box = sheet.view.canvas.getBoundingClientRect();
    return sheet.view.statesAt(event.clientX - box.left, event.clientY - box.top, this.brush);
  }

  /** @param {Sheet} sheet */
  listen(sheet) {
    const { canvas } = sheet.view;
    canvas.addEventListener("pointerdown", (event) => this.press(sheet, event));
    canvas.addEventListener("pointermove", (event) => this.drag(sheet, event));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => this.lift(sheet));
    canvas.addEventListener("keydown", (event) => this.pressed(event));
    canvas.addEventListener("focus", () => {
      this.page.choose(sheet);
      if (canvas.matches(":focus-visible")) this.move(0, 0);
    });
  }

  /** @param {Sheet} sheet @param {PointerEvent} event */
  press(sheet, event) {
    const { page } = this;
    if (event.button !== 0) return;
    sheet.view.canvas.setPointerCapture(event.pointerId);
    page.choose(sheet);
    page.quiz.leave();
    this.painting = true;
    this.cursor = -1;
    page.paint.begin();
    this.stroke(this.pointed(sheet, event), this.erasing);
  }

  /** @param {Sheet} sheet @param {PointerEvent} event */
  drag(sheet, event) {
    const states = this.pointed(sheet, event);
    if (sheet === this.page.sheet) this.page.showWhere(states.length > 0 ? states[states.length >> 1] : -1);
    if (!this.painting) return;
    const before = event.getCoalescedEvents ? event.getCoalescedEvents() : [event];
    this.stroke(before.length > 0 ? before.flatMap((e) => this.pointed(sheet, e)) : states, this.erasing);
  }

  /** @param {Sheet} sheet */
  lift(sheet) {
    if (!this.painting) return;
    this.painting = false;
    this.page.guide.strokes++;
    this.page.changed(sheet);
    this.page.remember();
  }

  // ----------------------------------------------------------------------- the keyboard

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const toward = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key], { page } = this;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (toward && page.quiz.chooseByKey(toward)) event.preventDefault();
    else if (toward) this.move(toward[0], toward[1]);
    else if (event.key === " " || event.key === "Enter") this.dab(this.erasing);
    else if (event.key === "Delete" || event.key === "Backspace") this.dab(true);
    else if (event.key === "u" || event.key === "z") this.undo();
    else if (event.key === "+" || event.key === "-") this.strengthen(event.key === "+" ? 1 : -1);
    else if (event.key === "b") select("brush").selectedIndex = (select("brush").selectedIndex + 1) % 3;
    else if (event.key === "PageUp" || event.key === "PageDown") page.goTo(page.step + (event.key === "PageUp" ? -1 : 1));
    else return;
    event.preventDefault();
  }

  /** @param {number} dx @param {number} dy */
  move(dx, dy) {
    const { page } = this, first = page.world.initial.findIndex((p) => p > 0);
    this.cursor = this.cursor < 0 ? Math.max(first, 0) : page.view.beside(this.cursor, dx, dy);
    page.showWhere(this.cursor);
    page.redraw();
  }

  /** @param {boolean} erase */
  dab(erase) {
    const { page } = this;
    page.quiz.leave();
    if (this.cursor < 0) this.move(0, 0);
    page.paint.begin();
    this.stroke(page.view.around(this.cursor, this.brush), erase);
    page.showWhere(this.cursor);
    page.guide.strokes++;
    page.remember();
  }

  /** @param {number} by tenths */
  strengthen(by) {
    const strength = input("strength");
    if (by > 0) strength.stepUp();
    else strength.stepDown();
    say("strength-shown", strength.value);
  }
}
