// 16-bit samples at the stream's rate to floats at the player's. Where both rates are the same
// (the normal case) the samples pass unchanged; else a windowed sinc, fed piece by piece.

const HALF_TAPS = 16;

export class Resampler {
  #step; // Input samples an output sample.
  #cutoff;
  #history = new Float32Array(HALF_TAPS * 2);
  #at = HALF_TAPS * 2; // Position of the next output sample in history + input.

  constructor(fromRate, toRate) {
    this.#step = fromRate / toRate;
    this.#cutoff = Math.min(1, toRate / fromRate);
  }

  /** Floats that these samples complete. */
  feed(samples) {
    const input = Float32Array.from(samples, (s) => s / 32768);
    return this.#step === 1 ? input : this.#convert(input);
  }

  /** The tail of a sentence; the next one starts afresh. */
  flush() {
    if (this.#step === 1) return new Float32Array(0);
    const tail = this.#convert(new Float32Array(HALF_TAPS));
    this.#history.fill(0);
    this.#at = HALF_TAPS * 2;
    return tail;
  }

  #convert(input) {
    const joined = new Float32Array(this.#history.length + input.length);
    joined.set(this.#history);
    joined.set(input, this.#history.length);
    const output = [];
    for (; this.#at + HALF_TAPS < joined.length; this.#at += this.#step) {
      output.push(this.#interpolate(joined, this.#at));
    }
    const dropped = joined.length - this.#history.length;
    this.#history = joined.slice(dropped);
    this.#at -= dropped;
    return Float32Array.from(output);
  }

  #interpolate(samples, at) {
    const first = Math.max(Math.ceil(at - HALF_TAPS), 0);
    let sum = 0;
    for (let i = first; i < at + HALF_TAPS; i += 1) {
      const distance = at - i;
      const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / HALF_TAPS);
      sum += samples[i] * window * this.#cutoff * sinc(distance * this.#cutoff);
    }
    return sum;
  }
}

function sinc(x) {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}
