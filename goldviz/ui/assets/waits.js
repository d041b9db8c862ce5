// Runs in every page: where a press takes long and nothing on the page says for what, its own words do.

const LATE_MS = 1000;
const LOOK_MS = 50;
// The app may begin, or go on, a little later: so many looks find it at rest before it is.
const RESTS = 30;
const RUNNING = '.stApp[data-test-script-state="running"]';
// What the app has placed before its own script comes to it, and a figure that no longer says "Drawing".
const UNFILLED = ".goldviz-figure:not([data-updates]), .goldviz-progress:not([aria-valuenow]), .goldviz-diagram:empty";
const REASONS = ".goldviz-progress, .goldviz-figure-waiting, [data-testid=stSpinner]";
const PRESSED = "a[href], button, [role=option], label:has([type=radio])";

// An icon is a word of its own beside the paragraph, and nobody reads it.
function wordsOf(pressed) {
  const said = pressed.querySelector("p")?.innerText ?? pressed.getAttribute("aria-label") ?? "";
  return said.trim().split("\n")[0];
}

export function nameWaits(page, wait = setTimeout) {
  const told = page.createElement("div");
  told.className = "goldviz-wait";
  told.setAttribute("role", "status");
  let press = 0;
  const sees = (selector, isMeant) => [...page.querySelectorAll(selector)].some((one) => one.checkVisibility() && isMeant(one));
  const isBusy = () => page.querySelector(RUNNING) || sees(UNFILLED, () => true);
  const isNamed = () => sees(REASONS, (one) => one.textContent.trim());
  const look = (own, words, rests = 0) => {
    if (own !== press) return;
    const busy = isBusy();
    const late = busy && !isNamed();
    told.textContent = late ? `${words} …` : "";
    if (late) page.body.append(told);
    else told.remove();
    const rested = busy ? 0 : rests + 1;
    if (rested < RESTS) wait(() => look(own, words, rested), LOOK_MS);
  };
  const begin = ({ target }) => {
    const pressed = target.closest?.(PRESSED);
    const words = pressed && wordsOf(pressed);
    if (!words) return;
    const own = ++press;
    told.remove();
    wait(() => look(own, pressed.matches("a[href]") ? `Opening ${words}` : words), LATE_MS);
  };
  page.addEventListener("click", begin, { capture: true, passive: true });
}
