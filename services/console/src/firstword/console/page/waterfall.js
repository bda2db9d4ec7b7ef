// A turn as a picture: when each sentence was synthesised and when it was heard, on one time axis.

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 400;
const LABEL = 58;
const RIGHT = 14;
const ROW = 24;
const TOP = 30;
const AXIS = 22;
const MAX_ROWS = 12;
const TICKS_S = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600];

/** An SVG of `record` (a TurnRecord) on an axis of `span` milliseconds. */
export function drawWaterfall(record, span) {
  const rows = record.sentences.slice(0, MAX_ROWS);
  const hidden = record.sentences.length - rows.length;
  const bottom = TOP + (rows.length + 1) * ROW + (hidden > 0 ? 14 : 0);
  const scale = (ms) => LABEL + (ms / Math.max(span, 1)) * (WIDTH - LABEL - RIGHT);
  const svg = make("svg", { viewBox: `0 0 ${WIDTH} ${bottom + AXIS}`, role: "img" });
  svg.setAttribute("aria-label", describe(record));
  drawAxis(svg, scale, span, bottom);
  label(svg, TOP, "text");
  bar(svg, scale, TOP, record.firstText, record.lastText, "text", 8);
  rows.forEach((sentence, index) => {
    const y = TOP + (index + 1) * ROW;
    label(svg, y, `${index + 1}`, sentence.text);
    bar(svg, scale, y - 4, sentence.begun, sentence.whole ?? sentence.arrived, "made", 5);
    bar(svg, scale, y + 4, sentence.playStart, sentence.playEnd ?? record.now, "heard", 7);
  });
  if (hidden > 0) text(svg, LABEL, bottom - 4, `and ${hidden} more`, "tick");
  if (record.audible !== null) drawMoment(svg, scale(record.audible), bottom, record.audible);
  return svg;
}

/** The same in words, for those who do not see the picture. */
export function describe(record) {
  const parts = [record.mode === "batch" ? "Written first." : "Spoken while written."];
  if (record.firstText !== null) parts.push(`First text after ${seconds(record.firstText)}.`);
  if (record.lastText !== null) parts.push(`Last text after ${seconds(record.lastText)}.`);
  if (record.audible !== null) parts.push(`Heard from ${seconds(record.audible)} on.`);
  return parts.join(" ");
}

/** A time for people: "0.52 s", or a dash where there is none. */
export function seconds(ms) {
  if (ms === null || ms === undefined) return "–";
  return `${(ms / 1000).toFixed(ms < 9995 ? 2 : 1)} s`;
}

function drawAxis(svg, scale, span, bottom) {
  const step = TICKS_S.find((s) => (s * 1000) / Math.max(span, 1) > 0.14) ?? TICKS_S.at(-1);
  for (let s = 0; s * 1000 <= span; s += step) {
    const x = scale(s * 1000);
    svg.append(make("line", { class: "grid", x1: x, x2: x, y1: TOP - 12, y2: bottom }));
    text(svg, x, bottom + 14, `${Number(s.toFixed(1))} s`, "tick middle");
  }
}

function drawMoment(svg, x, bottom, ms) {
  svg.append(make("line", { class: "moment", x1: x, x2: x, y1: TOP - 14, y2: bottom }));
  const right = x > WIDTH * 0.6;
  text(svg, x + (right ? -4 : 4), TOP - 16, `heard at ${seconds(ms)}`, right ? "flag end" : "flag");
}

function bar(svg, scale, y, from, to, kind, height) {
  if (from === null || to === null || to === undefined) return;
  const x = scale(from);
  const width = Math.max(scale(to) - x, 2);
  svg.append(make("rect", { class: kind, x, y: y - height / 2, width, height, rx: height / 2 }));
}

function label(svg, y, content, title) {
  const node = text(svg, LABEL - 10, y + 4, content, "label end");
  if (title !== undefined) node.append(make("title", {}, title));
}

function text(svg, x, y, content, kind) {
  const node = make("text", { x, y, class: kind }, content);
  svg.append(node);
  return node;
}

function make(name, attributes, content) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (content !== undefined) node.textContent = content;
  return node;
}
