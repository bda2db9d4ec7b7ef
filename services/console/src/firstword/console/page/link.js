// The socket to the agent, kept alive: it comes back by itself, later each time.

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 15000;
const OPEN_TIMEOUT_MS = 10000;
const NORMAL = 1000; // RFC 6455, section 7.4.1

/**
 * Callbacks: `onEvent(object)` for text frames, `onAudio(ArrayBuffer)` for binary ones,
 * `onState("connecting" | "open" | "asleep" | "lost")`.
 */
export class Link {
  #url;
  #callbacks;
  #socket = null;
  #retries = 0;
  #timer = null;
  #waiting = []; // Resolvers of `opened`.

  constructor(url, callbacks) {
    this.#url = url;
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

  /** Whether the connection broke and has not come back yet. */
  get isLost() {
    return this.#retries > 0;
  }

  /** Send one JSON object; false when the socket is not open. */
  send(message) {
    if (!this.isOpen) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** True once the socket is open, false when that takes too long. */
  opened() {
    if (this.isOpen) return Promise.resolve(true);
    this.#connectNow();
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), OPEN_TIMEOUT_MS);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  #connectNow() {
    const state = this.#socket?.readyState;
    if (state !== WebSocket.CONNECTING && state !== WebSocket.OPEN) this.#connect();
  }

  #connect() {
    clearTimeout(this.#timer);
    this.#callbacks.onState("connecting");
    const socket = new WebSocket(this.#url);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.#open();
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onclose = ({ code }) => (code === NORMAL ? this.#asleep() : this.#lost());
    this.#socket = socket;
  }

  #open() {
    this.#retries = 0;
    this.#callbacks.onState("open");
    for (const resolve of this.#waiting.splice(0)) resolve();
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

  /** The agent closed a socket that nobody used: the next question opens another. */
  #asleep() {
    this.#socket = null;
    this.#callbacks.onState("asleep");
  }

  #lost() {
    this.#callbacks.onState("lost");
    const wait = Math.min(FIRST_RETRY_MS * 2 ** this.#retries, LAST_RETRY_MS);
    this.#retries += 1;
    this.#timer = setTimeout(() => this.#connect(), wait * (0.75 + Math.random() / 2));
  }
}
