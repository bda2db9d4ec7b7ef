// When a sentence may begin to play so that it is not interrupted in the middle. No clock, no DOM.
//
// A sentence that is whole may always begin. One that is still arriving may begin when the rate at
// which it arrives makes it certain, with margins, that the rest comes in time: with `rate` seconds
// of audio arriving each second, playing uses up `1 - rate` of each, for as long as the rest takes.
// What earlier sentences taught is kept: how late a listener would have been who began at the first
// piece, had all taken longer (`starvation`), and how long a sentence becomes for its text.

const CUSHION_S = 0.1; // Audio held back against jitter.
const CERTAINTY = 0.85; // Share of a measured rate that is counted on.
const SLOWER = 1.5; // So much longer than before may a piece take on a machine that gets busy.
const GROWTH = 2; // An engine that streams makes each piece up to twice as long as the last.
const BURST_S = 0.03; // Chunks closer together than this came as one piece of synthesis.
const S_PER_CHARACTER = 0.085; // A slow voice, until a real one was heard.
const REMEMBERED = 6;
const RATCHET_S = 0.1;
const RATCHET_MAX_S = 0.6;

/** What is known of the sender, over all sentences of a page's life. */
export class Experience {
  #rates = [];
  #starvations = [];
  #secondsPerCharacter = [];
  #ratchet = 0;

  /** Audio to hold back before a sentence that is not whole, in seconds. */
  get cushion() {
    return CUSHION_S + this.#ratchet;
  }

  /** A sentence ran dry in the middle: be more careful from now on. */
  learnUnderrun() {
    this.#ratchet = Math.min(this.#ratchet + RATCHET_S, RATCHET_MAX_S);
  }

  learn(rate, starvation) {
    remember(this.#rates, rate);
    remember(this.#starvations, starvation);
  }

  learnLength(seconds, characters) {
    if (seconds > 0 && characters >= 10) remember(this.#secondsPerCharacter, seconds / characters);
  }

  /** The slowest rate of late, in seconds of audio a second; 0 when nothing is known. */
  get rate() {
    return this.#rates.length ? Math.min(...this.#rates) : 0;
  }

  get starvation() {
    return Math.max(0, ...this.#starvations);
  }

  expectedSeconds(characters) {
    const known = this.#secondsPerCharacter;
    return characters * (known.length ? Math.max(...known) : S_PER_CHARACTER);
  }
}

/** One sentence's arrival. Times are seconds of any one clock. */
export class Arrival {
  #experience;
  #characters;
  #expected;
  #first = null;
  #last = 0;
  #gap = 0;
  #firstBurst = 0;
  #starvation = 0;

  constructor(characters, experience) {
    this.#characters = characters;
    this.#experience = experience;
    this.#expected = experience.expectedSeconds(characters);
    this.received = 0; // Seconds of audio.
    this.whole = false;
  }

  push(seconds, now) {
    if (this.#first === null) this.#first = now;
    else if (now - this.#last > BURST_S) {
      this.#gap = now - this.#last;
      const late = (now - this.#first) * SLOWER - this.received;
      this.#starvation = Math.max(this.#starvation, late);
    }
    if (this.#gap === 0) this.#firstBurst += seconds;
    this.#last = now;
    this.received += seconds;
  }

  close() {
    if (this.whole) return;
    this.whole = true;
    this.#experience.learnLength(this.received, this.#characters);
    if (this.#gap > 0) this.#experience.learn(this.#rate(), this.#starvation);
  }

  /**
   * How many seconds from `now` on until the sentence may begin: 0 for at once, Infinity for not
   * before more of it came. `played` seconds of it were heard already (it ran dry), and `lead`
   * seconds of earlier audio are still to be heard.
   */
  startsIn(now, lead, played = 0) {
    if (this.whole) return 0;
    if (this.#first === null) return Infinity;
    const measured = this.#gap > 0;
    const rate = CERTAINTY * (measured ? this.#rate() : this.#experience.rate);
    if (rate <= 0) return Infinity;
    const rest = Math.max(this.#expected - this.received, 0);
    const draining = (Math.max(1 - rate, 0) * rest) / rate;
    const missing = this.#experience.cushion + draining - lead;
    if (measured) {
      const next = this.#last + GROWTH * SLOWER * this.#gap; // The next piece is here by then.
      return Math.max(next + missing - (this.received - played) - now, 0);
    }
    if (missing > this.received) return Infinity;
    return Math.max(this.#first + this.#experience.starvation + missing - now, 0);
  }

  #rate() {
    return (this.received - this.#firstBurst) / (this.#last - this.#first);
  }
}

function remember(list, value) {
  list.push(value);
  if (list.length > REMEMBERED) list.shift();
}
