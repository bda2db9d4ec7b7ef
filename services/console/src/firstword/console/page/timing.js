// The panel beside the conversation: one waterfall, or two on one scale when modes are compared.

import { element } from "./view.js";
import { drawWaterfall, seconds } from "./waterfall.js";

const TITLES = { bidi: "Spoken while thinking", batch: "Spoken after thinking" };

export class TimingPanel {
  #panel = document.getElementById("timing");
  #title = document.getElementById("timing-title");
  #verdict = document.getElementById("timing-verdict");
  #charts = document.getElementById("charts");
  #tables = document.getElementById("tables");
  #records = [];
  #pending = false;

  /** Show these TurnRecords, on one scale. They are drawn anew after each `changed`. */
  show(records) {
    this.#records = records;
    this.changed();
  }

  /** A record has changed; draw once before the next frame. */
  changed() {
    if (this.#pending) return;
    this.#pending = true;
    requestAnimationFrame(() => {
      this.#pending = false;
      this.#draw();
    });
  }

  #draw() {
    const records = this.#records.filter((record) => record.origin !== null);
    this.#panel.hidden = records.length === 0;
    const span = Math.max(1000, ...records.map((record) => record.span)) * 1.04;
    const [title, verdict] = summary(records);
    this.#title.textContent = title;
    this.#verdict.textContent = verdict;
    this.#charts.replaceChildren(...records.map((record) => chart(record, span)));
    this.#tables.replaceChildren(...records.map(table));
  }
}

/** A headline and a sentence for what the pictures show. */
function summary(records) {
  const [bidi, batch] = ["bidi", "batch"].map((mode) => records.find((r) => r.mode === mode));
  if (records.length > 1 && bidi?.audible && batch?.audible) {
    const times = batch.audible / bidi.audible;
    const title = times >= 1.05 ? `Heard ${times.toFixed(1)} times sooner` : "Both ways compared";
    return [title, `${seconds(bidi.audible)} instead of ${seconds(batch.audible)}.`];
  }
  const { audible = null, lastText } = records.at(-1) ?? {};
  const ahead = audible === null ? 0 : lastText - audible;
  const verdict = ahead > 0 ? `Heard ${seconds(ahead)} before the text was finished.` : "";
  return [records.length > 1 ? "Both ways compared" : "Timing of the last answer", verdict];
}

function chart(record, span) {
  const figure = element("figure", "chart");
  const numbers = element("dl", "moments");
  for (const [name, ms] of [
    ["first text", record.firstText],
    ["first sentence", record.firstSentence],
    ["first audio", record.firstAudio],
  ]) {
    const pair = element("div");
    pair.append(element("dt", "", name), element("dd", "", seconds(ms)));
    numbers.append(pair);
  }
  figure.append(element("figcaption", "", TITLES[record.mode] ?? record.mode));
  figure.append(numbers, drawWaterfall(record, span));
  return figure;
}

function table(record) {
  const node = element("table");
  node.append(element("caption", "", `${TITLES[record.mode] ?? record.mode}, from the agent's start`));
  const head = element("tr");
  for (const name of ["", "Sentence", "Synthesised", "Heard"]) {
    const cell = element("th", "", name);
    cell.scope = "col";
    head.append(cell);
  }
  node.append(head);
  record.sentences.forEach((sentence, index) => {
    const row = element("tr");
    row.append(element("td", "", `${index + 1}`), element("td", "said", sentence.text));
    row.append(element("td", "", range(sentence.begun, sentence.whole)));
    row.append(element("td", "", range(sentence.playStart, sentence.playEnd)));
    node.append(row);
  });
  return node;
}

function range(from, to) {
  return from === null ? "–" : `${seconds(from)} to ${seconds(to)}`;
}
