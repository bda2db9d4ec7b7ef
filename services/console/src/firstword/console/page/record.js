// When what happened in one turn, for the waterfall. No clock, no DOM: times are handed in, in ms.

export class TurnRecord {
  constructor(mode, askedAt) {
    this.mode = mode;
    this.askedAt = askedAt; // The question was sent.
    this.origin = null; // agent_start: zero of all that follows.
    this.firstText = null;
    this.lastText = null;
    this.firstSentence = null;
    this.firstAudio = null;
    this.end = null;
    this.audible = null; // The first sample left the loudspeaker.
    this.now = null; // Up to here the running sentence has been heard.
    this.status = "running";
    this.sentences = []; // {seq, text, begun, arrived, whole, playStart, playEnd}
  }

  /** One event of the turn, as it came at `at`. */
  note(event, at) {
    if (this.origin === null) this.origin = at;
    const t = at - this.origin;
    switch (event.type) {
      case "text_delta":
        this.firstText ??= t;
        this.lastText = t;
        break;
      case "sentence":
        this.firstSentence ??= t;
        this.sentences.push({
          seq: event.seq,
          text: event.text,
          begun: t,
          arrived: null,
          whole: null,
          playStart: null,
          playEnd: null,
        });
        break;
      case "sentence_end":
        this.#sentence(event.seq, (s) => (s.whole = t));
        break;
      case "agent_end":
        this.end = t;
        this.status = event.status ?? "complete";
        break;
    }
  }

  /** Audio of the last sentence came. */
  noteAudio(at) {
    const t = at - this.origin;
    this.firstAudio ??= t;
    const sentence = this.sentences.at(-1);
    if (sentence !== undefined) sentence.arrived ??= t;
  }

  /** A sentence began or ended in the loudspeaker. */
  notePlayed(seq, edge, at) {
    const t = at - this.origin;
    if (edge === "start") this.audible ??= t;
    this.#sentence(seq, (s) => (s[edge === "start" ? "playStart" : "playEnd"] = t));
  }

  /** Playing stopped before its end. */
  noteStopped(at) {
    const t = at - this.origin;
    for (const s of this.sentences) if (s.playStart !== null) s.playEnd ??= t;
  }

  /** Milliseconds that a drawing of the turn has to hold. */
  get span() {
    const last = this.sentences.flatMap((s) => [s.whole, s.playStart, s.playEnd, s.arrived]);
    return Math.max(this.lastText ?? 0, this.end ?? 0, this.now ?? 0, ...last.map((t) => t ?? 0));
  }

  #sentence(seq, change) {
    const found = this.sentences.find((s) => s.seq === seq);
    if (found !== undefined) change(found);
  }
}
