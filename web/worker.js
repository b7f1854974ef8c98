// worker.js - what takes longer than a frame: certificates, doubt, exploring. Runs behind engine.js
// in a worker of the page.
"use strict";

/** @type {any} */
const scope = self;
/** @type {Engine} */
let engine;
/** @type {{id: number, reward: string, mode: number} | null} the newest request, if any */
let waiting = null;
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

/** The certificate first, the doubt behind it if nobody has painted on. */
function certify() {
  const request = waiting;
  if (!request) return;
  waiting = null;
  const { id, reward, mode } = request;
  try {
    engine.plan(reward, mode, true);
    scope.postMessage({ kind: "certified", id, result: engine.result(), policy: engine.policy() });
  } catch (error) {
    complain(id, error);
    return soon(certify);
  }
  soon(() => {
    if (waiting) return certify();
    try {
      scope.postMessage({ kind: "doubted", id, places: engine.explain() });
    } catch (error) {
      scope.postMessage({ kind: "doubted", id, places: [] });
    }
    soon(certify);
  });
}

/** Some more episodes: for about 60 ms, then the page is told. */
function explore() {
  if (exploring === 0) return;
  try {
    const begun = performance.now();
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
      waiting = null;
      engine.open(message.source);
    } else if (message.kind === "load") {
      engine.load(message.state);
    } else if (message.kind === "explore") {
      place = message.id;
      exploring = message.episodes;
      soon(explore);
    } else if (message.kind === "stop") {
      exploring = 0;
    } else if (message.kind === "certify") {
      const idle = !waiting;
      waiting = message;
      if (idle) soon(certify);
    }
  } catch (error) {
    complain(-1, error);
  }
}

let before = Promise.resolve();
scope.onmessage = (/** @type {MessageEvent} */ event) => {
  before = before.then(() => obey(event.data));
};
