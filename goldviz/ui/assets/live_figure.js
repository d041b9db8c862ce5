// A Plotly figure that is updated in place: one that the page's script hands over whole, which may know itself at other
// positions of the page, or one of a run's frames that follows the run and the step in view. Called anew at every change
// of `data`.

const ANSWER_AT_MOST_MS = 3000;

function followed(place, data) {
  const page = framesPage(data.frames.address);
  const { lane, name, key } = data.frames;
  place.want = () => {
    const figure = page.figureAt(lane, name, stepOf(key));
    return figure && { ...data, figure };
  };
  const stops = [page.watch({ lane, figure: name, changed: place.draw }), watchStep(key, place.draw)];
  return () => stops.forEach((stop) => stop());
}

// At the position that the server drew, the figure is what the server handed over; elsewhere it is filled. What the
// server answered to knobs that are still being moved comes before both.
function moving(host, place, data, whole) {
  const { page: key, lane, name, position } = data.place;
  const page = positionsPage(key);
  const step = () => stepOf(key) ?? position;
  const state = data.place.state ?? data.subject;
  const ahead = () => page.aheadOf(state, name);
  place.text = () => ahead()?.text ?? data.figure;
  place.want = () => {
    const answer = ahead();
    place.shown = place.text();
    const subject = data.place.state === null ? page.ahead?.subject : data.subject;
    if (answer) return { ...data, subject, figure: answer.figure };
    const figure = step() === position ? undefined : page.figureAt(lane, name, step());
    place.filled = figure && `${step()} ${lane}`;
    return { ...data, figure: figure ?? whole };
  };
  const move = () => {
    if (page.knows(lane, name)) place.draw();
  };
  const arrive = () => {
    if (step() !== position) move();
  };
  const answered = () => {
    if (place.shown !== place.text()) place.draw();
  };
  place.choose = (position) => {
    goToStep(key, position);
    settleStep(key);
  };
  const stops = [page.watch({ figure: name, host, changed: arrive, answered }), watchStep(key, move)];
  // What is in sight already needs no second draw.
  if (place.filled === `${step()} ${lane}`) place.shown = data.figure;
  return () => stops.forEach((stop) => stop());
}

// A shape that was moved: the server says what comes of it ahead of the page's script, which hears of it afterwards. The
// question has what the script said last and all moves since, for a hand may be faster than the script.
function asking(place, data, tell) {
  const page = positionsPage(data.place.page);
  const { address, about } = data.asks;
  const moves = (place.moves ??= []);
  if (place.state !== data.place.state) {
    place.state = data.place.state;
    const heard = moves.findLastIndex(({ subject }) => subject === place.state);
    moves.splice(0, heard < 0 ? moves.length : heard + 1);
    if (!moves.length) page.answer(undefined);
  }
  const ask = async (move) => {
    const moved = moves.slice(0, moves.indexOf(move) + 1).map(({ moved }) => moved);
    const body = JSON.stringify({ ...about, moved });
    const answer = await fetch(address, { method: "POST", body, signal: AbortSignal.timeout(ANSWER_AT_MOST_MS) });
    if (!answer.ok) return;
    const found = await answer.json();
    move.subject = found.subject;
    if (found.subject === place.state) moves.splice(moves.indexOf(move), 1);
    else if (moves.at(-1) === move) page.answer(found);
  };
  const begin = (...moved) => {
    const move = { moved };
    moves.push(move);
    const turn = place.turn ?? Promise.resolve();
    // What does not come ahead comes with the page's script.
    place.turn = turn.then(() => (moves.includes(move) ? ask(move) : undefined)).catch(() => undefined);
    return Object.assign(move, { turn: place.turn });
  };
  place.dropped = (...moved) => {
    place.begun = begin(...moved);
  };
  return (name, { index, x, y }) => {
    const begun = String(place.begun?.moved) === String([index, x, y]) ? place.begun : begin(index, x, y);
    place.begun = undefined;
    return begun.turn.then(() => tell(name, { index, x, y }));
  };
}

// Plotly tells of a drop when it has drawn the figure anew. Where a shape is as the finger leaves it is known before.
function watchDrops(host) {
  if (host.goldvizDrops) return;
  host.goldvizDrops = true;
  const at = (index) => {
    const { xanchor, yanchor } = host._fullLayout?.shapes?.[index] ?? {};
    return [index, Number(xanchor), Number(yanchor)];
  };
  host.addEventListener("pointerdown", ({ target }) => {
    const index = Number(target.closest?.(".shapelayer path")?.dataset.index ?? NaN);
    if (Number.isNaN(index)) return;
    const before = String(at(index));
    const drop = () => {
      if (String(at(index)) !== before) host.goldvizPlace?.dropped?.(...at(index));
    };
    window.addEventListener("pointerup", drop, { capture: true, once: true });
  }, true);
}

export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".goldviz-figure");
  if (!host.dataset.drawn) host.setAttribute("aria-label", data.description);
  const source = data.frames ? JSON.stringify(data.frames) : "";
  const whole = data.frames ? undefined : JSON.parse(data.figure);
  if (!host.dataset.drawn) {
    host.style.height = `${whole?.layout.height ?? data.height}px`;
    host.classList.add("goldviz-figure-waiting");
    host.textContent = host.textContent || "Drawing …";
  }
  const place = (host.goldvizPlace ??= placeOfFigure(host, data.plotly, () => undefined));
  place.tell = setTriggerValue;
  if (place.source !== source || !source) {
    place.unfollow?.();
    place.source = source;
    if (whole) place.want = () => ({ ...data, figure: whole });
    if (whole) place.unfollow = data.place ? moving(host, place, data, whole) : undefined;
    else place.unfollow = followed(place, data);
  }
  if (data.asks) {
    place.tell = asking(place, data, setTriggerValue);
    watchDrops(host);
  }
  const text = place.text?.() ?? data.figure;
  if (whole && place.shown !== text) {
    place.shown = text;
    place.draw();
  } else if (!whole) {
    place.draw();
  }

  return () => {
    place.unfollow?.();
    leavePlace(host);
  };
}
