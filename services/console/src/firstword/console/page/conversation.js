// One question at a time: what is asked, what of the answer is taken, and how it is interrupted.

import { TurnRecord } from "./record.js";

const SILENCE_MS = 120000; // An agent that says nothing for so long is given up.
const REDRAW_MS = 100; // How often the picture of a running turn is brought up to date.

/** `onChange(turn)` is called whenever the running turn's record or state has changed. */
export class Conversation {
  #link;
  #player;
  #view;
  #onChange;
  #turn = null;
  #audioIsOurs = false; // Whether binary frames belong to the running turn.
  #frame = null;
  #silence = null;

  constructor({ link, player, view, onChange }) {
    this.#link = link;
    this.#player = player;
    this.#view = view;
    this.#onChange = onChange;
  }

  /** The running turn, or null. */
  get turn() {
    return this.#turn;
  }

  /**
   * Ask; gives the finished turn once it was heard, stopped or failed. Interrupts the one before.
   * Call it inside a click or key press, which browsers want before there is sound.
   */
  async ask({ prompt, mode, voice, speed, sessionId, note }) {
    this.interrupt();
    this.#player.unlock();
    const record = new TurnRecord(mode, performance.now());
    const view = this.#view.addTurn(prompt, note);
    const turn = { id: randomId(), record, view, mode, playing: null, sent: false, audio: false, ended: false };
    turn.done = new Promise((resolve) => (turn.resolve = resolve));
    this.#turn = turn;
    this.#audioIsOurs = false;
    this.#setState("thinking");
    this.#onChange(turn);
    await this.#link.opened();
    if (this.#turn !== turn) return turn.done;
    const message = { type: "prompt", prompt, mode, voice, speed };
    // One id for the request and for its trace (W3C Trace Context), so that either finds the turn.
    const traceparent = `00-${turn.id}-${randomId().slice(0, 16)}-01`;
    turn.sent = this.#link.send({
      ...message,
      session_id: sessionId,
      request_id: turn.id,
      traceparent,
    });
    if (turn.sent) this.#watchSilence();
    else this.#fail(this.#unreachable());
    return turn.done;
  }

  /** Stop thinking and speaking at once. */
  interrupt() {
    const turn = this.#turn;
    if (turn === null) return;
    const heard = turn.audio ? this.#player.heardSeconds : 0;
    this.#player.clear();
    if (turn.sent) this.#link.send({ type: "cancel", request_id: turn.id, heard_s: heard });
    turn.record.noteStopped(performance.now());
    turn.record.status = "cancelled";
    this.#finish("stopped", `Stopped after ${heard.toFixed(1)} s of speech`);
  }

  onEvent(event) {
    const turn = this.#turn;
    const ours = turn !== null && event.request_id === turn.id;
    if (event.type === "sentence") this.#audioIsOurs = ours;
    if (!ours) {
      if (event.type === "error" && !event.request_id) this.#stray(event);
      return;
    }
    turn.record.note(event, performance.now());
    this.#follow(turn, event);
    if (this.#turn === turn) {
      this.#watchSilence();
      this.#onChange(turn);
    }
  }

  onAudio(buffer) {
    if (this.#turn === null || !this.#audioIsOurs || !this.#turn.audio) return;
    this.#turn.record.noteAudio(performance.now());
    this.#player.push(buffer);
    this.#watchSilence();
  }

  /** The socket is gone: what has come may still be heard. */
  onLost(end) {
    if (this.#turn?.sent && !this.#turn.ended) this.#fail(`${end.words}, in the middle of the answer.`);
  }

  onOverflow() {
    this.interrupt();
    this.#view.showAlert("The answer is longer than the page can hold; it was stopped.");
  }

  /** From the player: a sentence began or ended in the loudspeaker. */
  onSentence(seq, edge, at) {
    const turn = this.#turn;
    if (turn === null) return;
    turn.record.notePlayed(seq, edge, at);
    if (edge === "start") {
      turn.playing = seq;
      this.#setState("speaking");
      this.#view.announce(turn.view.reply.textOf(seq));
      this.#frame ??= requestAnimationFrame(() => this.#paint());
    } else {
      turn.playing = null;
    }
    this.#onChange(turn);
  }

  /** From the player: the reply was heard to its end. */
  onFinished() {
    if (this.#turn !== null) this.#heard(this.#turn);
  }

  #follow(turn, event) {
    const { reply } = turn.view;
    switch (event.type) {
      case "text_delta":
        reply.addText(String(event.text));
        this.#view.keepUp();
        break;
      case "audio_stream_start":
        turn.audio = true;
        this.#player.begin(event.sample_rate ?? 24000);
        break;
      case "sentence":
        reply.addSentence(event);
        if (turn.audio) this.#player.openSentence(event.seq, spokenLength(event));
        break;
      case "words":
        reply.addWords(turn.record.sentences.at(-1)?.seq, event.words);
        break;
      case "sentence_end":
        this.#player.closeSentence(event.seq);
        break;
      case "audio_stream_end":
        this.#player.end();
        break;
      case "error":
        turn.view.fail(`${event.message} (${event.code})`);
        break;
      case "agent_end":
        this.#agentEnded(turn, event);
        break;
    }
  }

  #agentEnded(turn, event) {
    turn.ended = true;
    if (event.status === "failed") turn.view.fail("The agent could not finish the answer.");
    if (event.status === "cancelled") this.#finish("stopped", "The agent stopped");
    else if (turn.audio) this.#player.end();
    else this.#heard(turn);
  }

  #heard(turn) {
    if (!turn.ended) return;
    const { audible, mode, status } = turn.record;
    const how = mode === "batch" ? "after thinking" : "while thinking";
    const note = audible === null ? "Nothing to be heard" : `Spoken ${how}, heard from ${(Math.max(audible, 0) / 1000).toFixed(2)} s on`;
    this.#finish(status === "failed" ? "failed" : "done", note);
  }

  #fail(message) {
    const turn = this.#turn;
    turn.view.fail(message);
    turn.record.status = "failed";
    turn.ended = true;
    if (turn.audio) this.#player.end();
    else this.#finish("failed", "");
  }

  #stray(event) {
    const message = `${event.message} (${event.code})`;
    if (this.#turn === null) this.#view.showAlert(message);
    else this.#fail(message);
  }

  #finish(state, note) {
    const turn = this.#turn;
    this.#turn = null;
    clearTimeout(this.#silence);
    turn.view.reply.finish(state === "stopped");
    turn.view.setState(state);
    turn.view.setNote(note);
    this.#view.announce("");
    this.#showLink();
    this.#player.rest();
    this.#onChange(turn);
    turn.resolve(turn);
  }

  /** How the connection is, now that no turn runs. */
  #showLink() {
    const end = this.#link.trouble;
    if (end === null) this.#view.showState("idle");
    else this.#view.showState(end.passing ? "lost" : "refused", end.status);
  }

  #unreachable() {
    const words = this.#link.trouble?.words;
    return words === undefined ? "The agent does not answer." : `${words}.`;
  }

  #setState(state) {
    this.#turn.view.setState(state);
    this.#view.showState(state);
  }

  #watchSilence() {
    clearTimeout(this.#silence);
    const turn = this.#turn;
    if (turn === null || turn.ended) return;
    this.#silence = setTimeout(() => {
      this.#link.send({ type: "cancel", request_id: turn.id });
      this.#fail("The agent has not said anything for two minutes; it was given up.");
    }, SILENCE_MS);
  }

  /** Once a frame, and only while something is heard. */
  #paint() {
    this.#frame = null;
    const turn = this.#turn;
    if (turn === null || turn.playing === null) return;
    const seconds = this.#player.secondsInto(turn.playing);
    if (seconds !== null) turn.view.reply.follow(turn.playing, seconds);
    const now = performance.now() - turn.record.origin;
    if (now - turn.record.now > REDRAW_MS) {
      turn.record.now = now;
      this.#onChange(turn);
    }
    this.#frame = requestAnimationFrame(() => this.#paint());
  }
}

/** Characters that are said. A text that is too long for one message comes as its beginning. */
function spokenLength({ spoken, text, start = 0, end = 0 }) {
  return spoken?.length ?? Math.max(text.length, end - start);
}

/** Random bytes in hex; crypto.randomUUID is missing where the page is not on loopback or https. */
export function randomId(count = 16) {
  const bytes = crypto.getRandomValues(new Uint8Array(count));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
