// A Plotly figure that is updated in place: one that the page's script hands over whole, which may know itself at other
// positions of the page, or one of a run's frames that follows the run and the step in view. Called anew at every change
// of `data`.

import { pause } from "./drawing_queue.js";
import { showAim, showDrop } from "./figure_drag.js";
import { emptyPlace, idle, leavePlace, placeOfFigure } from "./figure_draw.js";
import { highAs, roomAt } from "./figure_height.js";
import { sketchOver } from "./figure_sketch.js";
import { framesPage, goToStep, positionsPage, settleStep, stepOf, watchStep } from "./frames_page.js";

const ANSWER_AT_MOST_MS = 3000;
// The server has others to answer than a hand that moves.
const AIM_EVERY_MS = 50;

// A run's own figure has no handles: where a hand may drag, it gets them, once.
const HELD = new WeakMap();
function withHandles(figure, { handles = [] }) {
  if (!figure || !handles.length) return figure;
  const known = HELD.get(figure);
  if (known?.handles === handles) return known.figure;
  const held = { ...figure, layout: { ...figure.layout, shapes: handles, dragmode: false } };
  HELD.set(figure, { handles, figure: held });
  return held;
}

function followed(host, place, data) {
  const page = framesPage(data.frames.address);
  const { lane, name, key } = data.frames;
  // What a hand asks for comes before what was recorded.
  const ahead = () => place.data.place && positionsPage(place.data.place.page).aheadOf(place.data.place.state, name);
  place.want = () => {
    place.ahead = ahead();
    const figure = place.ahead?.figure ?? withHandles(page.figureAt(lane, name, stepOf(key)), place.data);
    return figure && { ...place.data, figure };
  };
  const answered = () => {
    if (place.ahead !== ahead()) place.draw();
  };
  const changed = () => {
    // What another run left here goes where this one's figure does not come.
    const trouble = page.lanes.get(lane)?.gone ?? page.trouble;
    if (trouble && !place.want()) emptyPlace(host, trouble);
    else place.draw();
  };
  const stops = [page.watch({ lane, figure: name, changed }), watchStep(key, place.draw)];
  if (data.place) stops.push(positionsPage(data.place.page).watch({ figure: name, host, changed: place.draw, answered }));
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
// question has what the script said last and all moves since, for a hand may be faster than the script. While the hand
// moves, the server is asked about places on its way, one after another.
export function asking(place, data, tell) {
  const page = positionsPage(data.place.page);
  const { address, about } = data.asks;
  const moves = (place.moves ??= []);
  if (place.state !== data.place.state) {
    place.state = data.place.state;
    const heard = moves.findLastIndex(({ subject }) => subject === place.state);
    moves.splice(0, heard < 0 ? moves.length : heard + 1);
    if (!moves.length) page.answer(undefined);
  }
  const answerTo = async (question) => {
    const body = JSON.stringify({ ...about, ...question });
    const answer = await fetch(address, { method: "POST", body, signal: AbortSignal.timeout(ANSWER_AT_MOST_MS) });
    return answer.ok ? answer.json() : undefined;
  };
  const figureIn = ({ figures }) => JSON.parse(figures[data.place.name] ?? "null");
  const ask = async (move) => {
    const found = await answerTo({ moved: moves.slice(0, moves.indexOf(move) + 1).map(({ moved }) => moved) });
    if (!found) return;
    move.subject = found.subject;
    if (found.subject === place.state) return moves.splice(moves.indexOf(move), 1);
    if (moves.at(-1) !== move) return;
    await place.showDrop?.(figureIn(found));
    if (moves.at(-1) === move) page.answer(found);
  };
  const aimAt = async (hand) => {
    const { index, x, y } = hand;
    const moved = [...moves.map((move) => move.moved), [index, x, y]];
    const found = await answerTo({ moved, aims: true }).catch(() => undefined);
    const figure = found && figureIn(found);
    // What takes the server long is seen when the hand has let go.
    if (!figure) return (hand.alone = true);
    place.showAim(hand, figure);
    // Figures beside it follow, too.
    const { [data.place.name]: _, ...others } = found.figures;
    if (!hand.released && Object.keys(others).length) page.answer({ subject: found.subject, figures: others });
  };
  place.forget = () => page.answer(undefined);
  place.aim = async (hand) => {
    place.aimed = hand;
    if (place.aiming) return;
    place.aiming = true;
    for (let now; (now = place.aimed) && !now.released && !now.alone; ) {
      place.aimed = undefined;
      await Promise.all([aimAt(now), pause(AIM_EVERY_MS)]);
    }
    place.aiming = false;
  };
  return (name, { index, x, y }) => {
    const move = { moved: [index, x, y] };
    moves.push(move);
    const turn = place.turn ?? Promise.resolve();
    // What does not come ahead comes with the page's script.
    place.turn = turn.then(() => (moves.includes(move) ? ask(move) : undefined)).catch(() => undefined);
    return place.turn.then(() => tell(name, { index, x, y }));
  };
}

export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".goldviz-figure");
  const source = data.frames ? JSON.stringify(data.frames) : "";
  const whole = data.frames ? undefined : JSON.parse(data.figure);
  if (!host.dataset.drawn) {
    host.setAttribute("aria-label", data.description);
    host.style.height = `${highAs(roomAt(host), whole?.layout ?? data, 0).height}px`;
    host.classList.add("goldviz-figure-waiting");
    host.textContent = host.textContent || "Drawing …";
  }
  const place = (host.goldvizPlace ??= placeOfFigure(host, data.plotly, () => undefined));
  Object.assign(place, { tell: setTriggerValue, data, drawnOver: () => sketchOver(host, data.sketch, setTriggerValue) });
  if (place.source !== source || !source) {
    place.unfollow?.();
    place.source = source;
    if (whole) place.want = () => ({ ...data, figure: whole });
    if (whole) place.unfollow = data.place ? moving(host, place, data, whole) : undefined;
    else place.unfollow = followed(host, place, data);
  }
  if (data.movable) idle().then(place.touch);
  if (data.asks) {
    place.tell = asking(place, data, setTriggerValue);
    place.showAim = (hand, figure) => showAim(host, hand, figure);
    place.showDrop = (figure) => showDrop(host, figure);
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
