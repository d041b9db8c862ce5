// Runs in every page: where a press takes long and nothing on the page says for what, its own words do.

const LATE_MS = 1000;
const LOOK_MS = 150;
// The app may begin, or go on, a little later: so many looks find it at rest before it is.
const RESTS = 10;
// Or a figure that no longer says "Drawing" and is not there yet.
const BUSY_APP = '.stApp[data-test-script-state="running"], .goldviz-figure[data-drawn]:not([data-updates])';
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
  const isUnnamed = () =>
    page.querySelector(BUSY_APP) && ![...page.querySelectorAll(REASONS)].some((one) => one.checkVisibility() && one.textContent.trim());
  const look = (own, words, rests = 0) => {
    if (own !== press) return;
    const late = isUnnamed();
    told.textContent = late ? `${words} …` : "";
    if (late) page.body.append(told);
    else told.remove();
    const rested = page.querySelector(BUSY_APP) ? 0 : rests + 1;
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
