// The page: composer, conversation, player and timing panel, joined.

import { Composer } from "./composer.js";
import { locate } from "./connection.js";
import { Conversation, randomId } from "./conversation.js";
import { Link } from "./link.js";
import { Player } from "./player.js";
import { TimingPanel } from "./timing.js";
import { ConversationView } from "./view.js";

const view = new ConversationView();
const timing = new TimingPanel();
const sessionId = randomId(20); // AgentCore wants 33 characters or more.
let refused = false; // Whether the alert says why there is no connection.
let comparing = null; // The records of a comparison, while it runs.

const player = new Player({
  onSentence: (seq, edge, at) => conversation.onSentence(seq, edge, at),
  onFinished: () => conversation.onFinished(),
  onOverflow: () => conversation.onOverflow(),
  onFailed: () => view.showAlert("The player could not be loaded: load the page again."),
  onBlocked: (blocked) => blocked && view.showState("blocked"),
});
const link = new Link((refused) => locate(sessionId, refused), {
  onEvent: (event) => conversation.onEvent(event),
  onAudio: (buffer) => conversation.onAudio(buffer),
  onState: (state, end) => onLink(state, end),
});
const conversation = new Conversation({ link, player, view, onChange });
const composer = new Composer({ onAsk, onCompare, onStop, onTyping });

function onAsk(prompt) {
  if (!canPlay()) return false;
  comparing = null;
  conversation.ask({ prompt, sessionId, ...composer.choices });
  timing.show([conversation.turn.record]);
  return true;
}

function onCompare(prompt) {
  if (!canPlay()) return false;
  compare(prompt);
  return true;
}

/** The same question in both modes, one after the other, each in a conversation of its own. */
async function compare(prompt) {
  const records = [];
  comparing = records;
  for (const mode of ["bidi", "batch"]) {
    const note = mode === "bidi" ? "Both ways compared: while thinking" : "And now after thinking";
    const choices = { ...composer.choices, mode };
    const asked = conversation.ask({ prompt, sessionId: randomId(20), note, ...choices });
    records.push(conversation.turn.record);
    timing.show(records);
    const { record } = await asked;
    if (comparing !== records || record.status !== "complete") break;
  }
  if (comparing === records) comparing = null;
}

function onStop() {
  comparing = null;
  conversation.interrupt();
}

function onTyping(typing) {
  player.duck(typing && conversation.turn !== null);
}

function onChange(turn) {
  composer.running = conversation.turn !== null;
  if (conversation.turn === null) player.duck(false);
  if (turn.record) timing.changed();
}

function onLink(state, end) {
  if (["lost", "asleep", "refused"].includes(state)) conversation.onLost(end);
  if (state === "refused") view.showAlert(`${end.words}. Ask again to try once more.`);
  else if (refused) view.showAlert(null);
  refused = state === "refused";
  if (conversation.turn !== null) return;
  showLink(state === "connecting" && end !== null ? "lost" : state, end);
}

function showLink(state, end) {
  view.showState(state === "open" || state === "asleep" ? "idle" : state, end?.status);
}

/** Whether this browser lets the page play; says why not. */
function canPlay() {
  const able = isSecureContext && "AudioWorkletNode" in window;
  view.showAlert(
    able ? null : "Browsers allow this page's sound only on this machine (127.0.0.1) or over https.",
  );
  return able;
}

async function loadVoices() {
  const answer = await fetch("/api/voices");
  if (!answer.ok) throw new Error(`voices: ${answer.status}`);
  const { voices } = await answer.json();
  if (voices.length > 0) composer.offer(voices);
}

if (new URLSearchParams(location.search).has("token")) history.replaceState(null, "", "/");
loadVoices().catch(() => view.showAlert("The list of voices could not be loaded."));
link.start();
composer.focus();

/** Read-only figures of the player, for tests and the curious. */
window.firstword = Object.freeze({
  stats: () => Object.freeze({ ...player.stats(), heardSeconds: player.heardSeconds }),
});
