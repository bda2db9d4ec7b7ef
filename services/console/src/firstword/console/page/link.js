// The socket to the agent, kept alive: it comes back by itself, later each time, where that helps.

import { endOf, PASSING } from "./closes.js";

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 15000;
const OPEN_TIMEOUT_MS = 15000;
const STEADY_MS = 10000; // A connection that held so long does not count as one more failure.

/**
 * `locate(refused)` gives a promise of the socket's URL, or of an Error whose `passing` says whether
 * to try again; `refused` is set after a socket that was not let in.
 *
 * Callbacks: `onEvent(object)` for text frames, `onAudio(ArrayBuffer)` for binary ones,
 * `onState("connecting" | "open" | "asleep" | "lost" | "refused", end)`, where `end` says in words
 * what became of the connection: see closes.js.
 */
export class Link {
  #locate;
  #callbacks;
  #socket = null;
  #connecting = false;
  #openedAt = null;
  #retries = 0;
  #refused = false; // Whether the last socket was closed before it was open.
  #timer = null;
  #end = null;
  #waiting = []; // Resolvers of `opened`.

  constructor(locate, callbacks) {
    this.#locate = locate;
    this.#callbacks = callbacks;
  }

  /** Connect, and stay connected. */
  start() {
    this.#connect();
    addEventListener("online", () => this.#connectNow());
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** How the last connection ended, until another is open; null where it ended as it should. */
  get trouble() {
    return this.#end;
  }

  /** Send one JSON object; false when the socket is not open. */
  send(message) {
    if (!this.isOpen) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** True once the socket is open, false when that takes too long or cannot be. */
  opened() {
    if (this.isOpen) return Promise.resolve(true);
    this.#connectNow();
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), OPEN_TIMEOUT_MS);
      this.#waiting.push((open) => {
        clearTimeout(timer);
        resolve(open);
      });
    });
  }

  #connectNow() {
    if (!this.#connecting && !this.isOpen) this.#connect();
  }

  async #connect() {
    clearTimeout(this.#timer);
    this.#connecting = true;
    this.#openedAt = null;
    this.#callbacks.onState("connecting", this.#end);
    let url;
    try {
      url = await this.#locate(this.#refused);
    } catch (error) {
      this.#over({ passing: error.passing ?? true, status: null, words: error.message });
      return;
    }
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.#open();
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onclose = ({ code }) => this.#closed(code);
    this.#socket = socket;
  }

  #open() {
    this.#connecting = false;
    this.#refused = false;
    this.#openedAt = performance.now();
    this.#end = null;
    this.#callbacks.onState("open", null);
    this.#settle(true);
  }

  #receive(data) {
    if (typeof data !== "string") {
      this.#callbacks.onAudio(data);
      return;
    }
    let event;
    try {
      event = JSON.parse(data);
    } catch {
      return;
    }
    if (event !== null && typeof event === "object") this.#callbacks.onEvent(event);
  }

  #closed(code) {
    this.#refused = this.#openedAt === null;
    const held = this.#openedAt === null ? 0 : performance.now() - this.#openedAt;
    if (held > STEADY_MS) this.#retries = 0;
    this.#over(endOf(code));
  }

  /** The agent closed a socket that nobody used, it was lost, or it will not be had. */
  #over(end) {
    this.#socket = null;
    this.#connecting = false;
    this.#end = end.passing === null ? null : end;
    if (end.passing === null) this.#callbacks.onState("asleep", end);
    else if (end.passing === PASSING) this.#retry(end);
    else this.#giveUp(end);
  }

  #retry(end) {
    const wait = Math.min(FIRST_RETRY_MS * 2 ** this.#retries, LAST_RETRY_MS);
    this.#retries += 1;
    this.#timer = setTimeout(() => this.#connect(), wait * (0.75 + Math.random() / 2));
    this.#callbacks.onState("lost", end);
  }

  /** The next question tries once more. */
  #giveUp(end) {
    this.#callbacks.onState("refused", end);
    this.#settle(false);
  }

  #settle(open) {
    for (const resolve of this.#waiting.splice(0)) resolve(open);
  }
}
