// What the codes with which a socket closes mean to a person, and whether connecting again helps.

export const PASSING = true;
export const LASTING = false;
const WANTED = null;

const LOST = "The connection to the agent was lost";

// Code: whether it passes, the words in the page's head, and the sentence where they matter.
// 1000 to 1011 are of RFC 6455, section 7.4.1; 1012 is registered for a restart.
const ENDS = {
  1000: [WANTED, "Ready", "The agent closed the connection"],
  1001: [PASSING, "The agent moves, connecting again", "The agent's server is going away"],
  1006: [PASSING, "Connection lost, trying again", LOST],
  1008: [LASTING, "The agent hung up", "The agent took no more messages from this page"],
  1009: [LASTING, "The agent hung up", "A message was too large for the connection"],
  1011: [PASSING, "The agent failed, connecting again", "The agent failed and hung up"],
  1012: [PASSING, "The agent restarts, connecting again", "The agent is being restarted"],
};

/** `passing` is null where nothing is wrong; `words` is a sentence without its full stop. */
export function endOf(code) {
  const [passing, status, words] = ENDS[code] ?? ENDS[1006];
  return { code, passing, status, words };
}
