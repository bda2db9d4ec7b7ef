// One answer on the page: its text as it is written, and the sentence and word that are heard.

/** Text is counted in characters (code points), as the agent counts it. */
export class ReplyView {
  #tail = document.createTextNode("");
  #points = []; // The whole text, one character an item.
  #cursor = 0; // Up to here the text stands in sentences.
  #sentences = new Map();
  #current = null;

  constructor(element) {
    this.element = element;
    element.append(this.#tail);
  }

  get text() {
    return this.#points.join("");
  }

  addText(text) {
    for (const point of text) this.#points.push(point);
    this.#tail.data += text;
  }

  /** A `sentence` event: its stretch of the text becomes an element of its own. */
  addSentence({ seq, text, start, end, words }) {
    const span = this.#span(text, start, end);
    const element = document.createElement("span");
    element.className = "sentence";
    const characters = span === null ? Array.from(text) : this.#points.slice(...span);
    element.textContent = characters.join("");
    if (span === null) {
      this.#tail.before(element, " ");
    } else {
      this.#tail.before(this.#slice(this.#cursor, span[0]), element);
      this.#cursor = span[1];
      this.#tail.data = this.#slice(this.#cursor);
    }
    this.#sentences.set(seq, { element, text, characters, words: [] });
    if (words?.length) this.addWords(seq, words);
  }

  /** Words of a sentence with the seconds in which they are heard. */
  addWords(seq, words) {
    const sentence = this.#sentences.get(seq);
    if (sentence === undefined) return;
    const known = new Set(sentence.words.map((word) => word.text_start));
    const fresh = words.filter((word) => isWord(word) && !known.has(word.text_start));
    if (fresh.length === 0) return;
    sentence.words.push(...fresh);
    sentence.words.sort((a, b) => a.text_start - b.text_start);
    this.#writeWords(sentence);
  }

  textOf(seq) {
    return this.#sentences.get(seq)?.text ?? "";
  }

  /** Sentence `seq` is being heard, `seconds` into it. */
  follow(seq, seconds) {
    const sentence = this.#sentences.get(seq);
    if (sentence === undefined) return;
    if (this.#current !== sentence) {
      this.#settle();
      this.#current = sentence;
      sentence.element.classList.add("speaking");
    }
    for (const word of sentence.words) {
      const heard = seconds >= word.start_s;
      word.element?.classList.toggle("now", heard && seconds < word.end_s);
      word.element?.classList.toggle("heard", heard);
    }
  }

  /** Nothing is being heard any more. With `stopped`, the rest never will be. */
  finish(stopped) {
    this.#settle();
    if (stopped) this.element.classList.add("stopped");
  }

  #settle() {
    if (this.#current === null) return;
    this.#current.element.classList.remove("speaking");
    this.#current.element.classList.add("spoken");
    for (const word of this.#current.words) word.element?.classList.remove("now");
    this.#current = null;
  }

  #span(text, start, end) {
    if (Number.isInteger(start) && Number.isInteger(end)) {
      if (start >= this.#cursor && end >= start && end <= this.#points.length) return [start, end];
    }
    const tail = this.#slice(this.#cursor);
    const found = tail.indexOf(text);
    if (found < 0 || text === "") return null;
    const from = this.#cursor + Array.from(tail.slice(0, found)).length;
    return [from, from + Array.from(text).length];
  }

  #slice(from, to) {
    return this.#points.slice(from, to).join("");
  }

  #writeWords({ element, characters, words }) {
    const parts = [];
    let at = 0;
    for (const word of words) {
      if (word.text_start < at || word.text_end > characters.length) continue;
      parts.push(characters.slice(at, word.text_start).join(""));
      word.element = document.createElement("span");
      word.element.className = "word";
      word.element.textContent = characters.slice(word.text_start, word.text_end).join("");
      parts.push(word.element);
      at = word.text_end;
    }
    parts.push(characters.slice(at).join(""));
    element.replaceChildren(...parts);
  }
}

function isWord(word) {
  return (
    Number.isInteger(word?.text_start) &&
    Number.isInteger(word.text_end) &&
    word.text_start < word.text_end &&
    Number.isFinite(word.start_s) &&
    Number.isFinite(word.end_s)
  );
}
