// Where the agent's socket is: the page's own server knows, and says why there is none.

const OUT_OF_REACH = "The page's server cannot be reached. Is firstword serve still running?";

/** An address for one connection. Throws an Error whose `passing` says whether to try again. */
export async function locate(sessionId, refused) {
  let answer;
  try {
    answer = await fetch("/api/connection", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ session_id: sessionId, refused }),
    });
  } catch {
    throw trouble(OUT_OF_REACH, true);
  }
  const { url, error } = await answer.json().catch(() => ({}));
  if (error?.message) throw trouble(`The agent cannot be reached: ${error.message}`, error.passing === true);
  if (!answer.ok || !url) throw trouble(OUT_OF_REACH, answer.status >= 500);
  return new URL(url, location.href).href.replace(/^http/, "ws");
}

function trouble(message, passing) {
  return Object.assign(new Error(message), { passing });
}
