// The last room before the loudspeaker: a ring of samples on the audio thread.
//
// It plays what it is given, in order, one frame after the other, and counts. Where a sentence has
// ended and the next one is not here, it waits; where a sentence is not over and nothing is here, it
// has run dry, which is counted as an underrun. `clear` drops everything at once.
//
// In: {type: "clear", generation} {type: "start" | "end", seq} {type: "push", samples} {type: "finish"}
// Out: {type: "progress" | "start" | "end" | "dry" | "finished", generation, frame, played, stats}

const CAPACITY = 1 << 18; // Samples; the sender never has more than this on the way.
const REPORT_EVERY = 2400; // Frames between two reports while playing: 0.1 s at 24 kHz.
const DECAY = 0.97; // How the last sample fades when sound stops at an arbitrary point.

class PlayerProcessor extends AudioWorkletProcessor {
  #ring = new Float32Array(CAPACITY);
  #generation = 0;
  #written = 0;
  #read = 0;
  #marks = []; // What happens when #read reaches a position: {at, type, seq}.
  #inSentence = false;
  #dry = false;
  #waiting = true;
  #finished = false;
  #last = 0;
  #sinceReport = 0;
  #stats = freshStats();

  constructor() {
    super();
    this.port.onmessage = ({ data }) => this.#receive(data);
  }

  #receive(message) {
    if (message.type === "clear") {
      this.#generation = message.generation;
      this.#written = 0;
      this.#read = 0;
      this.#marks = [];
      this.#inSentence = false;
      this.#dry = false;
      this.#waiting = true;
      this.#finished = false;
      this.#sinceReport = 0;
      this.#stats = freshStats();
    } else if (message.generation === this.#generation) {
      if (message.type === "push") this.#push(message.samples);
      else this.#marks.push({ at: this.#written, type: message.type, seq: message.seq });
    }
  }

  #push(samples) {
    const room = CAPACITY - (this.#written - this.#read);
    if (samples.length > room) {
      this.#stats.dropped += samples.length - room;
      samples = samples.subarray(0, room);
    }
    const at = this.#written % CAPACITY;
    const untilWrap = CAPACITY - at;
    this.#ring.set(samples.subarray(0, untilWrap), at);
    this.#ring.set(samples.subarray(untilWrap), 0);
    this.#written += samples.length;
    this.#stats.queued += samples.length;
  }

  process(_inputs, [[out]]) {
    let at = 0;
    while (at < out.length) {
      this.#passMarks(currentFrame + at);
      const untilMark = this.#marks.length ? this.#marks[0].at - this.#read : Infinity;
      const count = Math.min(out.length - at, this.#written - this.#read, untilMark);
      if (count <= 0) break;
      this.#play(out, at, count);
      at += count;
    }
    if (at > 0) this.#sinceReport += at;
    if (at < out.length) this.#silence(out, at);
    if (this.#sinceReport >= REPORT_EVERY) this.#report("progress", currentFrame + out.length);
    return true;
  }

  #passMarks(frame) {
    while (this.#marks.length && this.#marks[0].at === this.#read) {
      const [{ type: next }] = this.#marks;
      const nothingYet = this.#written === this.#read && this.#marks.length === 1;
      if (next === "start" && nothingYet) return;
      const { type, seq } = this.#marks.shift();
      if (type === "start") this.#inSentence = true;
      if (type === "end") this.#inSentence = false;
      if (type === "finish") this.#finished = true;
      this.#report(type === "finish" ? "finished" : type, frame, seq);
    }
  }

  #play(out, at, count) {
    const stats = this.#stats;
    if (stats.firstFrame === null) stats.firstFrame = currentFrame + at;
    if (stats.largestStep === null) stats.largestStep = 0;
    const joined = !this.#waiting && !this.#dry;
    for (let i = 0; i < count; i += 1) {
      const value = this.#ring[(this.#read + i) % CAPACITY];
      if (joined || i > 0) {
        stats.largestStep = Math.max(stats.largestStep, Math.abs(value - this.#last));
      }
      stats.sumOfSquares += value * value;
      out[at + i] = value;
      this.#last = value;
    }
    this.#read += count;
    this.#dry = false;
    this.#waiting = false;
    stats.played += count;
    stats.lastFrame = currentFrame + at + count - 1;
  }

  #silence(out, at) {
    const frames = out.length - at;
    const stats = this.#stats;
    for (let i = at; i < out.length; i += 1) {
      this.#last *= DECAY;
      out[i] = Math.abs(this.#last) > 1e-5 ? this.#last : 0;
    }
    if (this.#inSentence) {
      stats.dryFrames += frames;
      if (!this.#dry) {
        this.#dry = true;
        stats.underruns += 1;
        this.#report("dry", currentFrame + at);
      }
    } else if (stats.firstFrame !== null && !this.#finished) {
      stats.waitedFrames += frames;
      if (!this.#waiting) {
        this.#waiting = true;
        stats.waits += 1;
        this.#report("progress", currentFrame + at);
      }
    }
  }

  #report(type, frame, seq) {
    this.#sinceReport = 0;
    this.port.postMessage({
      type,
      seq,
      frame,
      generation: this.#generation,
      played: this.#read,
      running: this.#written > this.#read,
      stats: { ...this.#stats },
    });
  }
}

function freshStats() {
  return {
    queued: 0, // Samples.
    played: 0,
    dropped: 0,
    underruns: 0, // Times a sentence ran dry in the middle, and the frames of silence that made.
    dryFrames: 0,
    waits: 0, // Times and frames waited at the end of a sentence.
    waitedFrames: 0,
    firstFrame: null, // On the audio clock.
    lastFrame: null,
    largestStep: null, // Between neighbouring samples, full scale is 1.
    sumOfSquares: 0,
  };
}

registerProcessor("firstword-player", PlayerProcessor);
