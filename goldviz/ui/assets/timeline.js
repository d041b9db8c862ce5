// One position in training for all lanes of a page: by hand, by the arrow keys, or played. At the right end it follows.

const PLAY_STEPS = 200;
const PLAY_EVERY_MS = 100;

export default function ({ data, parentElement, setStateValue }) {
  const host = parentElement.querySelector(".goldviz-timeline");
  const [slider, button, words] = ["input", "button", "output"].map((name) => host.querySelector(name));
  const page = framesPage(data.address);
  const { key, noun } = data;

  const show = () => {
    const last = Math.max(page.last(), data.last);
    const step = stepOf(key);
    host.hidden = last < 2;
    slider.max = last;
    slider.value = step ?? last;
    slider.setAttribute("aria-label", `${noun} in view`);
    slider.setAttribute("aria-valuetext", `${noun} ${slider.value} of ${last}`);
    words.textContent = `${noun} ${slider.value}${step === null ? "" : ` of ${last}`}`;
  };
  const go = (step) => goToStep(key, step >= Number(slider.max) ? null : step);
  const settle = () => {
    if (host.goldvizSettled === stepOf(key)) return;
    host.goldvizSettled = stepOf(key);
    setStateValue("step", stepOf(key));
  };
  const halt = () => {
    clearInterval(host.goldvizPlaying);
    host.goldvizPlaying = undefined;
    button.setAttribute("aria-label", "Play");
    button.textContent = "▶";
  };
  const play = () => {
    if (stepOf(key) === null) goToStep(key, 1);
    button.setAttribute("aria-label", "Pause");
    button.textContent = "❚❚";
    host.goldvizPlaying = setInterval(() => {
      // A draw that still waits comes first: each step that is played is seen.
      if (queue.waiting.some((task) => distance(task.host) === 0)) return;
      go((stepOf(key) ?? 0) + Math.max(1, Math.round(Number(slider.max) / PLAY_STEPS)));
      if (stepOf(key) === null) {
        halt();
        settle();
      }
    }, PLAY_EVERY_MS);
  };
  const toggle = () => {
    if (!host.goldvizPlaying) return play();
    halt();
    settle();
  };

  host.goldvizSettled ??= data.step;
  slider.oninput = () => go(Number(slider.value));
  slider.onchange = settle;
  button.onclick = toggle;
  slider.onkeydown = (event) => {
    if (event.key !== " ") return;
    event.preventDefault();
    toggle();
  };
  if (!host.goldvizPlaying) halt();
  host.goldvizStop?.();
  const stops = [page.watch({ lane: data.lane, changed: show }), watchStep(key, show)];
  host.goldvizStop = () => stops.forEach((stop) => stop());
  if (data.step !== null && stepOf(key) === null && !host.goldvizArrived) goToStep(key, data.step);
  host.goldvizArrived = true;
  show();
  return () => {
    halt();
    host.goldvizStop();
  };
}
