// A Plotly figure that is updated in place: one that the page's script hands over whole, which may know itself at other
// positions of the page, or one of a run's frames that follows the run and the step in view. Called anew at every change
// of `data`.

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
  const ahead = () => page.aheadOf(data.subject, name);
  place.text = () => ahead()?.text ?? data.figure;
  place.want = () => {
    const answer = ahead();
    place.shown = place.text();
    if (answer) return { ...data, subject: page.ahead.subject, figure: answer.figure };
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
