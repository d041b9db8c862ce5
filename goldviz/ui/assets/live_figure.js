// Draws a Plotly figure and updates it in place. Called anew at every change of `data`.

const CONFIG = {
  displaylogo: false,
  displayModeBar: window.matchMedia("(hover: none)").matches ? false : "hover",
  modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
  toImageButtonOptions: { format: "svg", filename: "goldviz" },
};
const THEME_EVERY_MS = 150;
const DRAW_AT_MOST_MS = 5000;

// One copy of Plotly for all figures of the page, whoever asks first.
function loadPlotly(address) {
  window.goldvizPlotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      window.goldvizPlotly = undefined;
      reject(new Error("Plotly could not be loaded"));
    };
    document.head.appendChild(script);
  });
  return window.goldvizPlotly;
}

// Plotly draws in steps, and a step that finds its figure purged throws: whatever is done to a figure waits its turn.
// All figures of the page share one queue. What is in sight goes first, and between two the page may answer a person.
const queue = (window.goldvizQueue ??= { waiting: [], busy: false });

function distance(host) {
  const { top, bottom } = host.getBoundingClientRect();
  return Math.max(0, -bottom, top - window.innerHeight);
}

async function work() {
  queue.busy = true;
  while (queue.waiting.length) {
    const nearest = Math.min(...queue.waiting.map((task) => distance(task.host)));
    const next = queue.waiting.find((task) => distance(task.host) <= nearest);
    queue.waiting.splice(queue.waiting.indexOf(next), 1);
    try {
      // A draw that Plotly never ends keeps no other figure waiting for good.
      await Promise.race([next.work(), new Promise((resolve) => setTimeout(resolve, DRAW_AT_MOST_MS))]);
    } catch (error) {
      reportError(error);
    }
    next.done();
    await new Promise((resolve) => setTimeout(resolve));
  }
  queue.busy = false;
}

function inTurn(host, task) {
  host.goldvizTurn = new Promise((done) => queue.waiting.push({ host, work: task, done }));
  if (!queue.busy) work();
  return host.goldvizTurn;
}

// While a run grows its axes grow too, so Plotly's own memory of a zoom does not hold: the person's ranges are kept here.
function watchZoom(host) {
  if (host.goldvizZoom) return;
  host.goldvizZoom = {};
  host.on("plotly_relayout", (changed) => {
    for (const key of Object.keys(changed)) {
      const axis = key.match(/^([xy]axis\d*)\.range/)?.[1];
      if (axis) host.goldvizZoom[axis] = [...host.layout[axis].range];
    }
  });
  host.on("plotly_doubleclick", () => {
    host.goldvizZoom = {};
  });
}

function keepZoom(host, layout) {
  for (const [axis, range] of Object.entries(host.goldvizZoom ?? {})) {
    if (layout[axis]) layout[axis] = { ...layout[axis], range, autorange: false };
  }
}

// Tells the page where a person has dragged a shape that is anchored at a point.
function watchDrags(host) {
  if (host.goldvizDrags) return;
  host.goldvizDrags = true;
  host.on("plotly_relayout", (changed) => {
    const index = Object.keys(changed).map((key) => key.match(/^shapes\[(\d+)\]\.[xy]anchor$/)?.[1]).find(Boolean);
    if (index === undefined) return;
    const { xanchor, yanchor } = host.layout.shapes[index];
    host.goldvizTell("moved", { index: Number(index), x: Number(xanchor), y: Number(yanchor) });
  });
}

// The column's width changes with the window and with the lanes beside it, the theme with the visitor's choice: the
// figure that is shown is then fitted anew. One redraw that waits stands for all that are asked for meanwhile.
function watchPlace(host, Plotly) {
  if (host.goldvizPlace) return;
  let waits = false;
  const again = () => {
    if (waits || !host.goldvizPlace) return;
    waits = true;
    inTurn(host, () => {
      waits = false;
      const { width, theme, shown } = host.goldvizPlace ?? {};
      if (!shown || !host.isConnected || !host.clientWidth) return;
      if (host.clientWidth !== width || themeUnder(host) !== theme) return paint(Plotly, host, shown.data, shown.figure);
    });
  };
  const widths = new ResizeObserver(again);
  const themes = setInterval(() => {
    if (themeUnder(host) !== host.goldvizPlace?.theme) again();
  }, THEME_EVERY_MS);
  host.goldvizPlace = {
    leave: () => {
      widths.disconnect();
      clearInterval(themes);
    },
  };
  widths.observe(host);
}

const pen = document.createElement("canvas").getContext("2d");

function measureWith(layout) {
  const family = layout.font?.family ?? layout.template?.layout?.font?.family ?? "sans-serif";
  return (size, weight) => (text) => {
    pen.font = `${weight} ${size}px ${family}`;
    return pen.measureText(text).width;
  };
}

// How far the legend reaches up into the words over it.
function overprinted(host) {
  const legend = host.querySelector(".legend")?.getBoundingClientRect();
  const words = [...host.querySelectorAll(".gtitle, .gtitle-subtitle")].map((one) => one.getBoundingClientRect().bottom);
  if (!legend || !legend.height || !words.length) return 0;
  const middle = host.getBoundingClientRect().top + host._fullLayout.height / 2;
  return legend.top < middle ? Math.max(0, Math.ceil(Math.max(...words) - legend.top)) : 0;
}

async function paint(Plotly, host, data, figure) {
  const width = host.clientWidth;
  const theme = themeUnder(host);
  const colour = data.inks && theme !== data.theme ? recoloured(data.inks[data.theme], data.inks[theme]) : (same) => same;
  const config = { ...CONFIG, edits: { shapePosition: data.movable } };
  const place = host.goldvizPlace;
  const about = JSON.stringify([width, figure.layout.title, figure.data.map((trace) => trace.name)]);
  if (place.about !== about) Object.assign(place, { about, lift: 0 });
  const draw = () => {
    const layout = fitted(colour(figure.layout), width, place.lift, measureWith(figure.layout));
    keepZoom(host, layout);
    host.style.height = `${layout.height}px`;
    return Plotly.react(host, colour(figure.data), layout, config);
  };
  await draw();
  const missing = overprinted(host);
  if (missing) {
    place.lift += missing;
    await draw();
  }
  Object.assign(place, { width, theme, shown: { data, figure } });
}

async function draw(Plotly, host, data, figure) {
  if (host.goldvizLatest !== data.figure || host.goldvizShown === data.figure || !host.isConnected) return;
  if (!host.dataset.drawn) {
    host.classList.remove("goldviz-figure-waiting");
    host.textContent = "";
    host.dataset.drawn = "yes";
  }
  host.goldvizShown = data.figure;
  if (host.dataset.subject !== data.subject) host.goldvizZoom &&= {};
  host.dataset.subject = data.subject;
  watchPlace(host, Plotly);
  await paint(Plotly, host, data, figure);
  watchZoom(host);
  watchDrags(host);
  host.dataset.updates = Number(host.dataset.updates || 0) + 1;
}

function purge(host) {
  if (!host.dataset.drawn) return;
  host.goldvizPlace?.leave();
  window.Plotly.purge(host);
  delete host.dataset.drawn;
  host.goldvizShown = undefined;
  host.goldvizZoom = undefined;
  host.goldvizDrags = undefined;
  host.goldvizPlace = undefined;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".goldviz-figure");
  host.goldvizTell = setTriggerValue;
  host.setAttribute("aria-label", data.description);
  const figure = JSON.parse(data.figure);
  if (!host.dataset.drawn) {
    host.style.height = `${figure.layout.height}px`;
    host.classList.add("goldviz-figure-waiting");
    host.textContent = host.textContent || "Drawing …";
  }
  // Updates may overtake one another while Plotly loads or draws; only the latest is drawn.
  host.goldvizLatest = data.figure;

  loadPlotly(data.plotly).then(
    (Plotly) => inTurn(host, () => draw(Plotly, host, data, figure)),
    () => {
      host.textContent = "The figure cannot be drawn: the server did not send Plotly. Reload the page.";
    },
  );

  return () => {
    host.goldvizLatest = undefined;
    inTurn(host, () => purge(host));
  };
}
