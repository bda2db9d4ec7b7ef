// The question box and the choices beside it, which are remembered in this browser.

const REMEMBERED = "firstword.choices";
const ACCENTS = { a: "American English", b: "British English", e: "Spanish", f: "French", h: "Hindi", i: "Italian", j: "Japanese", p: "Portuguese", z: "Chinese" };

/**
 * Callbacks: `onAsk(prompt)` and `onCompare(prompt)`, which give false when the question was not
 * taken and should stay in the box; `onStop()`; `onTyping(bool)`.
 */
export class Composer {
  #form = document.getElementById("composer");
  #prompt = document.getElementById("prompt");
  #voice = document.getElementById("voice");
  #speed = document.getElementById("speed");
  #speedValue = document.getElementById("speed-value");
  #stop = document.getElementById("stop");
  #wanted = null; // A remembered voice, until the list of voices is here.
  #callbacks;

  constructor(callbacks) {
    this.#callbacks = callbacks;
    this.#recall();
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#take(callbacks.onAsk);
    });
    this.#form.addEventListener("change", () => this.#remember());
    this.#prompt.addEventListener("keydown", (event) => this.#onKey(event));
    this.#prompt.addEventListener("input", () => this.#onInput());
    this.#prompt.addEventListener("blur", () => callbacks.onTyping(false));
    this.#speed.addEventListener("input", () => this.#showSpeed());
    this.#stop.addEventListener("click", () => callbacks.onStop());
    document.getElementById("compare").addEventListener("click", () => this.#take(callbacks.onCompare));
    document.getElementById("examples").addEventListener("click", ({ target }) => {
      if (target instanceof HTMLButtonElement) callbacks.onAsk(target.textContent);
    });
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.isComposing) callbacks.onStop();
    });
  }

  get choices() {
    const mode = this.#form.elements.mode.value;
    return { mode, voice: this.#voice.value, speed: Number(this.#speed.value) };
  }

  /** Whether something can be stopped now. */
  set running(running) {
    if (!running && document.activeElement === this.#stop) this.#prompt.focus();
    this.#stop.hidden = !running;
  }

  /** The voices on offer: {id, name, language}. */
  offer(voices) {
    const wanted = this.#wanted ?? this.#voice.value;
    const groups = Map.groupBy(voices, ({ id, language }) => ACCENTS[id[0]] ?? language ?? "Other");
    this.#voice.replaceChildren(
      ...Array.from(groups, ([name, members]) => {
        const group = document.createElement("optgroup");
        group.label = name;
        group.append(...members.map((voice) => new Option(voiceName(voice), voice.id)));
        return group;
      }),
    );
    const known = voices.some(({ id }) => id === wanted);
    if (known) this.#voice.value = wanted;
  }

  focus() {
    this.#prompt.focus();
  }

  #take(use) {
    const prompt = this.#prompt.value.trim();
    if (prompt === "") {
      this.#prompt.focus();
      return;
    }
    if (!use(prompt)) return;
    this.#prompt.value = "";
    this.#onInput();
  }

  #onKey(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#form.requestSubmit();
  }

  #onInput() {
    this.#callbacks.onTyping(this.#prompt.value.trim() !== "");
    this.#prompt.style.height = "auto";
    this.#prompt.style.height = `${this.#prompt.scrollHeight}px`;
  }

  #showSpeed() {
    this.#speedValue.value = `${Number(this.#speed.value).toFixed(2)}×`;
  }

  #remember() {
    try {
      localStorage.setItem(REMEMBERED, JSON.stringify(this.choices));
    } catch {
      // Private windows may refuse; then nothing is remembered.
    }
  }

  #recall() {
    let choices = null;
    try {
      choices = JSON.parse(localStorage.getItem(REMEMBERED));
    } catch {
      // Nothing readable was remembered.
    }
    if (["bidi", "batch"].includes(choices?.mode)) this.#form.elements.mode.value = choices.mode;
    if (Number.isFinite(choices?.speed)) this.#speed.value = choices.speed;
    if (typeof choices?.voice === "string") this.#wanted = choices.voice;
    this.#showSpeed();
  }
}

function voiceName({ id, name }) {
  const plain = name && name !== id ? name : id.replace(/^[a-z]{2}_/, "");
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}
