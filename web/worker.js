// worker.js - what takes longer than a frame: certificates, doubt, exploring. Runs behind engine.js
// in a worker of the page.
"use strict";

/** @type {any} */
const scope = self;
/** @type {Engine} */
let engine;
/** @typedef {{id: number, sheet: string, reward: string, mode: number}} Wish */
/** @type {Wish[]} the newest of each sheet */
let waiting = [];
/** @type {Wish[]} certified, and the doubt still to be found */
let unexplained = [];
let planned = -1; // which request the engine's plan is for
let exploring = 0; // episodes still to be played
let place = 0; // which source they belong to

/**
 * Lets messages in, and goes on.
 * @param {() => void} next
 */
function soon(next) {
  setTimeout(next, 0);
}

/** @param {number} id @param {unknown} error */
function complain(id, error) {
  scope.postMessage({ kind: "failed", id, message: error instanceof Error ? error.message : String(error) });
}

/** @param {Wish} request */
function plan(request) {
  engine.plan(request.reward, request.mode, true);
  planned = request.id;
}

/** Certificates first, the doubt behind them when nobody waits for another. */
function certify() {
  const request = waiting.shift();
  if (!request) return explain();
  const { id } = request;
  try {
    plan(request);
    const truth = [engine.call.play_truth(0), engine.call.play_truth(1)];
    scope.postMessage({ kind: "certified", id, result: engine.result(), policy: engine.policy(), truth });
    unexplained.push(request);
  } catch (error) {
    complain(id, error);
  }
  soon(certify);
}

function explain() {
  const request = unexplained.shift();
  if (!request) return;
  /** @type {Place[]} */
  let places = [];
  try {
    if (planned !== request.id) plan(request);
    places = engine.explain();
  } catch (error) {
    // A certificate without an explanation is still one.
  }
  scope.postMessage({ kind: "doubted", id: request.id, places });
  soon(certify);
}

/** Some more episodes: for about 60 ms, then the page is told. */
function explore() {
  if (exploring === 0) return;
  try {
    const begun = performance.now();
    planned = -1;
    while (exploring > 0 && performance.now() - begun < 60) {
      const some = Math.min(exploring, 8);
      engine.explore(some);
      exploring -= some;
    }
    scope.postMessage({ kind: "explored", id: place, left: exploring, state: engine.save() });
  } catch (error) {
    exploring = 0;
    complain(-1, error);
  }
  soon(explore);
}

/**
 * One message after another: the first takes a while.
 * @param {any} message
 */
async function obey(message) {
  try {
    if (message.kind === "begin") {
      engine = await Engine.create(message.wasm);
      scope.postMessage({ kind: "ready" });
    } else if (message.kind === "open") {
      exploring = 0;
      waiting = [];
      unexplained = [];
      engine.open(message.source);
    } else if (message.kind === "load") {
      planned = -1;
      engine.load(message.state);
    } else if (message.kind === "explore") {
      place = message.id;
      exploring = message.episodes;
      soon(explore);
    } else if (message.kind === "stop") {
      exploring = 0;
    } else if (message.kind === "certify") {
      const others = (/** @type {Wish} */ it) => it.sheet !== message.sheet;
      waiting = [...waiting.filter(others), message];
      unexplained = unexplained.filter(others);
      soon(certify);
    }
  } catch (error) {
    complain(-1, error);
  }
}

let before = Promise.resolve();
scope.onmessage = (/** @type {MessageEvent} */ event) => {
  before = before.then(() => obey(event.data));
};
