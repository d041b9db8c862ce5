// Runs before Streamlit's own script, which makes an entry of the browser's history each time that the address changes,
// also for every place of a slider that is moved. Here it gets one for each thing that a person did.

const DEEDS = ["runs", "story", "shown", "figure", "open", "claim"];

// Whether between two addresses lies something that a person would go back over: another page, run, part of the page,
// figure or step of a story, or a preset, which changes several settings. A knob's way is none.
export function isDeed(before, after) {
  if (new URL(before).pathname !== new URL(after).pathname) return true;
  const [old, now] = [before, after].map((address) => new URL(address).searchParams);
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name));
  return changed.length > 1 || changed.some((name) => DEEDS.includes(name));
}

// What is written after a deed, such as the settings of a page that was opened, belongs to the same entry.
export function keepVisits(page) {
  const { history } = page;
  const push = history.pushState.bind(history);
  let acted = false;
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
  };
}
