// The conversation on the page: turns, state, errors, and what a screen reader is told.

import { ReplyView } from "./reply.js";

const STATES = {
  idle: "Ready",
  thinking: "Thinking",
  speaking: "Speaking",
  connecting: "Connecting",
  lost: "Connection lost, trying again",
  refused: "Not connected",
  blocked: "Sound is paused: press any button",
};
const NEAR_END_PX = 160;

export class ConversationView {
  #turns = document.getElementById("turns");
  #scroller = document.getElementById("conversation");
  #welcome = document.getElementById("welcome");
  #status = document.getElementById("status-text");
  #caption = document.getElementById("caption");
  #alert = document.getElementById("alert");

  /** A new question at the end of the conversation; gives its TurnView. */
  addTurn(prompt, note) {
    this.#welcome.hidden = true;
    const turn = new TurnView(prompt, note);
    this.#turns.append(turn.element);
    turn.element.scrollIntoView({ block: "end" });
    return turn;
  }

  /** `words` say it more exactly than the state's own. */
  showState(state, words) {
    document.body.dataset.state = state;
    this.#status.textContent = words ?? STATES[state];
  }

  /** Something outside of any turn went wrong; null takes the message away. */
  showAlert(message) {
    this.#alert.textContent = message ?? "";
    this.#alert.hidden = message === null;
  }

  /** What is being said, for those who read along by ear or by finger. */
  announce(text) {
    this.#caption.textContent = text;
  }

  /** Follow the text down, unless the reader has scrolled away from its end. */
  keepUp() {
    const box = this.#scroller;
    const page = document.scrollingElement;
    for (const area of [box, page]) {
      const left = area.scrollHeight - area.scrollTop - area.clientHeight;
      if (left > 0 && left < NEAR_END_PX) area.scrollTop = area.scrollHeight;
    }
  }
}

export class TurnView {
  #note;

  constructor(prompt, note) {
    this.element = element("li", "turn");
    const question = element("p", "question");
    question.append(element("span", "hidden", "You: "), prompt);
    const answer = element("div", "answer");
    answer.append(element("span", "hidden", "Answer: "));
    const reply = element("p", "reply");
    this.#note = element("p", "note", note ?? "");
    answer.append(reply, this.#note);
    this.element.append(question, answer);
    this.reply = new ReplyView(reply);
    this.element.dataset.state = "thinking";
  }

  setState(state) {
    this.element.dataset.state = state;
  }

  setNote(text) {
    this.#note.textContent = text;
  }

  fail(message) {
    this.element.dataset.state = "failed";
    const old = this.element.querySelector(".failure");
    if (old === null) this.#note.before(element("p", "failure", message));
  }
}

export function element(name, className, text) {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}
