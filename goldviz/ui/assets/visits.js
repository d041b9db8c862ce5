// Runs before Streamlit's own script, which writes the address with every setting: the browser's history gets one entry
// for each thing that a person did, and Back says to the server that it should show what the address says.

const BACK = "back"; // goldviz.ui.chrome.BACK
const DEEDS = ["runs", "story", "shown", "figure", "open", "claim"];

const without = (address) => {
  const parameters = new URL(address).searchParams;
  parameters.delete(BACK);
  return parameters;
};

// Whether between two addresses lies something that a person would go back over: another page, run, part of the page,
// figure or step of a story, or a preset, which changes several settings. A knob's way is none.
export function isDeed(before, after) {
  if (new URL(before).pathname !== new URL(after).pathname) return true;
  const [old, now] = [without(before), without(after)];
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name));
  return changed.length > 1 || changed.some((name) => DEEDS.includes(name));
}

// What is written after a deed, such as the settings of a page that was opened, belongs to the same entry.
export function keepVisits(page) {
  const { history } = page;
  const push = history.pushState.bind(history);
  let acted = false;
  let last = page.location.href;
  for (const gesture of ["pointerdown", "keydown"]) {
    page.addEventListener(gesture, () => (acted = true), { capture: true, passive: true });
  }
  history.pushState = (state, title, address) => {
    const before = page.location.href;
    const after = new URL(address ?? before, before).href;
    if (acted && isDeed(before, after)) {
      acted = false;
      push(state, title, address);
    } else {
      history.replaceState(state, title, address);
    }
    last = page.location.href;
  };
  // Before Streamlit hears of it: at the window, who listens to the way down comes first.
  page.addEventListener(
    "popstate",
    () => {
      const marked = new URL(page.location.href);
      const onlyJumped = marked.href.split("#")[0] === last.split("#")[0];
      last = marked.href;
      if (onlyJumped) return;
      marked.searchParams.set(BACK, "1");
      history.replaceState(history.state, "", marked);
      last = page.location.href;
    },
    { capture: true },
  );
}
