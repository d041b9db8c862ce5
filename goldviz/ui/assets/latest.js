// Asks `ask(text)` for the last text only, one question at a time, and hands its answer to `take` if no other text has
// come since; what was asked meanwhile is asked when the answer has come. `refuse` hears why there is none.
export function latest(ask, take, refuse) {
  let asked;
  let busy = false;
  const go = async () => {
    busy = true;
    for (let text; text !== asked; ) {
      text = asked;
      try {
        const found = await ask(text);
        if (text === asked) take(found);
      } catch (error) {
        if (text === asked) refuse(error);
      }
    }
    busy = false;
  };
  return (text) => {
    asked = text;
    if (!busy) go();
  };
}

// What the server answers to a question of the page; what it does not answer is an error with its sentence.
export async function answerOf(address, settings, question) {
  const answer = await fetch(address, { method: "POST", body: JSON.stringify({ settings, question }) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}
