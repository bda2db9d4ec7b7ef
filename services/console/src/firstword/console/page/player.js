// From the socket to the audio thread: sentences in, sound out, nothing of an old reply after clear.

import { Arrival, Experience } from "./pacing.js";
import { Resampler } from "./resample.js";

const PREFERRED_RATE = 24000;
const AHEAD_S = 5; // Audio that is on the way to the audio thread at most.
const LONGEST_QUEUE_S = 1800; // Received and not played; beyond it the reply is given up.
const REST_AFTER_MS = 15000;
const DUCKED = 0.25; // Loudness while somebody types, and how long the change takes.
const DUCKING_S = 0.08;

/**
 * Plays one reply at a time. Callbacks: `onSentence(seq, "start" | "end", ms)`, `onFinished()`,
 * `onBlocked(bool)` when the browser holds sound back, `onFailed()` when there is no player,
 * `onOverflow()`. Times are performance.now().
 */
export class Player {
  #callbacks;
  #context = null;
  #gain = null;
  #node = null;
  #experience = new Experience();
  #generation = 0;
  #rate = PREFERRED_RATE;
  #resampler = null;
  #sentences = []; // Not yet handed over in full: {seq, arrival, chunks, half, started, released}.
  #ended = false;
  #posted = 0; // Samples of this reply on the player's clock.
  #report = null; // The audio thread's last word on this reply.
  #queued = 0; // Samples in #sentences, at the stream's rate.
  #startedAt = new Map(); // Sentence to the reply's sample with which it began.
  #timer = null;
  #restTimer = null;

  constructor(callbacks) {
    this.#callbacks = callbacks;
  }

  /** Make sound possible. Call it inside a click or key press, before anything asynchronous. */
  unlock() {
    clearTimeout(this.#restTimer);
    if (this.#context === null) this.#open();
    if (this.#context.state !== "running") this.#context.resume();
  }

  #open() {
    if (navigator.audioSession) navigator.audioSession.type = "playback";
    const context = new AudioContext({ sampleRate: PREFERRED_RATE, latencyHint: "interactive" });
    this.#context = context;
    this.#gain = new GainNode(context);
    this.#gain.connect(context.destination);
    context.onstatechange = () => this.#tellBlocked();
    context.audioWorklet
      .addModule("/player-worklet.js")
      .then(() => this.#join(context))
      .catch(() => this.#callbacks.onFailed());
  }

  #join(context) {
    this.#node = new AudioWorkletNode(context, "firstword-player", {
      numberOfInputs: 0,
      outputChannelCount: [1],
    });
    this.#node.port.onmessage = ({ data }) => this.#hear(data);
    this.#node.connect(this.#gain);
    this.#node.port.postMessage({ type: "clear", generation: this.#generation });
    this.#pump();
  }

  /** A new reply at `sampleRate` Hz; what is left of the old one is dropped. */
  begin(sampleRate) {
    this.clear();
    this.#setGain(1, 0);
    this.#rate = sampleRate;
    this.#resampler = new Resampler(sampleRate, this.#context.sampleRate);
  }

  /** The audio that follows says a text of that many characters. */
  openSentence(seq, characters) {
    const arrival = new Arrival(characters, this.#experience);
    this.#sentences.push({ seq, arrival, chunks: [], half: null, started: false, released: false });
  }

  /** Little-endian 16-bit samples of the last sentence, an ArrayBuffer. */
  push(buffer) {
    const sentence = this.#sentences.at(-1);
    if (sentence === undefined || sentence.arrival.whole) return;
    const samples = align(sentence, buffer);
    sentence.chunks.push(samples);
    sentence.arrival.push(samples.length / this.#rate, performance.now() / 1000);
    this.#queued += samples.length;
    this.#tellBlocked();
    if (this.#queued > LONGEST_QUEUE_S * this.#rate) this.#callbacks.onOverflow();
    else this.#pump();
  }

  /** All of that sentence has been pushed. */
  closeSentence(seq) {
    this.#sentences.find((sentence) => sentence.seq === seq)?.arrival.close();
    this.#pump();
  }

  /** The reply is complete: `onFinished` follows when it was heard. */
  end() {
    for (const sentence of this.#sentences) sentence.arrival.close();
    this.#ended = true;
    this.#pump();
  }

  /** Silence now, and nothing of this reply ever again. */
  clear() {
    clearTimeout(this.#timer);
    this.#generation += 1;
    this.#sentences = [];
    this.#ended = false;
    this.#posted = 0;
    this.#queued = 0;
    this.#report = null;
    this.#startedAt.clear();
    this.#node?.port.postMessage({ type: "clear", generation: this.#generation });
  }

  /** No reply is expected soon: let the audio hardware sleep. */
  rest() {
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => this.#context?.suspend(), REST_AFTER_MS);
  }

  /** Lower the voice while somebody types. */
  duck(down) {
    this.#setGain(down ? DUCKED : 1, DUCKING_S);
  }

  #setGain(value, seconds) {
    if (this.#gain === null) return;
    const { gain } = this.#gain;
    const now = this.#context.currentTime;
    gain.cancelScheduledValues(now);
    gain.setValueAtTime(gain.value, now);
    gain.linearRampToValueAtTime(value, now + seconds);
  }

  /** Seconds of this reply that have left the loudspeaker. */
  get heardSeconds() {
    return this.#context === null ? 0 : Math.max(this.#played() / this.#context.sampleRate, 0);
  }

  /** Seconds into sentence `seq`, or null when it has not begun. */
  secondsInto(seq) {
    const start = this.#startedAt.get(seq);
    return start === undefined ? null : (this.#played() - start) / this.#context.sampleRate;
  }

  /** What the audio thread counted for this reply, and the state of the context. */
  stats() {
    return {
      ...this.#report?.stats,
      generation: this.#generation,
      sampleRate: this.#context?.sampleRate ?? null,
      state: this.#context?.state ?? "none",
      waitingSamples: this.#queued,
    };
  }

  /** Samples played, carried forward from the last report by the audio clock. */
  #played() {
    if (this.#report === null) return 0;
    const { sampleRate, currentTime, outputLatency = 0 } = this.#context;
    const since = Math.max(currentTime * sampleRate - this.#report.frame, 0);
    const moved = this.#report.running ? Math.min(since, sampleRate / 4) : 0;
    return Math.min(this.#report.played + moved, this.#posted) - outputLatency * sampleRate;
  }

  #hear(report) {
    if (report.generation !== this.#generation) return;
    this.#report = report;
    if (report.type === "start") this.#startedAt.set(report.seq, report.played);
    if (report.type === "dry") this.#runDry();
    const { sampleRate, currentTime } = this.#context;
    const ms = performance.now() - (currentTime - report.frame / sampleRate) * 1000;
    if (report.type === "start" || report.type === "end") {
      this.#callbacks.onSentence(report.seq, report.type, ms);
    }
    if (report.type === "finished") this.#callbacks.onFinished();
    else this.#pump();
  }

  /** The estimate was wrong: hold this sentence until what is left of it is certain. */
  #runDry() {
    this.#experience.learnUnderrun();
    const sentence = this.#sentences[0];
    if (sentence?.started) sentence.released = false;
  }

  /** Hand over all that may be played and fits. */
  #pump() {
    clearTimeout(this.#timer);
    if (this.#node === null) return;
    while (this.#sentences.length > 0) {
      const sentence = this.#sentences[0];
      if (!sentence.released && !this.#mayStart(sentence)) return;
      if (!this.#handOver(sentence)) return;
      this.#post("end", { seq: sentence.seq });
      this.#sentences.shift();
    }
    if (this.#ended) {
      this.#ended = false;
      this.#post("finish");
    }
  }

  #mayStart(sentence) {
    const heard = (this.#report?.played ?? 0) / this.#context.sampleRate;
    const lead = Math.max(this.#posted / this.#context.sampleRate - heard, 0);
    const waiting = sentence.chunks.reduce((sum, chunk) => sum + chunk.length, 0) / this.#rate;
    const handed = sentence.arrival.received - waiting;
    const wait = sentence.arrival.startsIn(performance.now() / 1000, lead, handed);
    if (wait === 0) sentence.released = true;
    else if (wait < Infinity) this.#timer = setTimeout(() => this.#pump(), wait * 1000);
    return sentence.released;
  }

  /** Post the sentence's samples; whether it is done. */
  #handOver(sentence) {
    if (!sentence.started) {
      sentence.started = true;
      this.#post("start", { seq: sentence.seq });
    }
    while (sentence.chunks.length > 0) {
      const ahead = this.#posted - (this.#report?.played ?? 0);
      if (ahead > AHEAD_S * this.#context.sampleRate) return false;
      const chunk = sentence.chunks.shift();
      this.#queued -= chunk.length;
      this.#postSamples(this.#resampler.feed(chunk));
    }
    if (sentence.arrival.whole) this.#postSamples(this.#resampler.flush());
    return sentence.arrival.whole;
  }

  #postSamples(samples) {
    if (samples.length === 0) return;
    this.#posted += samples.length;
    const message = { type: "push", generation: this.#generation, samples };
    this.#node.port.postMessage(message, [samples.buffer]);
  }

  #post(type, rest = {}) {
    this.#node.port.postMessage({ type, generation: this.#generation, ...rest });
  }

  #tellBlocked() {
    this.#callbacks.onBlocked(this.#sentences.length > 0 && this.#context.state !== "running");
  }
}

/** Whole samples; an odd byte waits for the next chunk of the same sentence. */
function align(sentence, buffer) {
  let bytes = new Uint8Array(buffer);
  if (sentence.half !== null) {
    const joined = new Uint8Array(bytes.length + 1);
    joined[0] = sentence.half;
    joined.set(bytes, 1);
    bytes = joined;
  }
  sentence.half = bytes.length % 2 ? bytes.at(-1) : null;
  return new Int16Array(bytes.buffer, 0, bytes.length >> 1);
}
