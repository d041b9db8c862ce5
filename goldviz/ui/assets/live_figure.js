// Draws a Plotly figure and updates it in place. Called anew at every change of `data`.

const CONFIG = {
  displaylogo: false,
  modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
  toImageButtonOptions: { format: "svg", filename: "goldviz" },
};

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
      await Promise.race([next.work(), new Promise((resolve) => setTimeout(resolve, 5000))]);
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

// Plotly's own `responsive` would draw out of turn. One resize that waits stands for all that are asked for meanwhile.
function watchWidth(host, Plotly) {
  if (host.goldvizResize) return;
  let waits = false;
  host.goldvizResize = () => {
    if (waits) return;
    waits = true;
    inTurn(host, () => {
      waits = false;
      if (host.goldvizResize && host.offsetWidth) return Plotly.Plots.resize(host);
    });
  };
  window.addEventListener("resize", host.goldvizResize);
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
    if (layout[axis]) Object.assign(layout[axis], { range, autorange: false });
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

function draw(Plotly, host, data, figure) {
  if (host.goldvizLatest !== data.figure || host.goldvizShown === data.figure || !host.isConnected) return;
  if (!host.dataset.drawn) {
    host.classList.remove("goldviz-figure-waiting");
    host.textContent = "";
    host.dataset.drawn = "yes";
  }
  host.goldvizShown = data.figure;
  if (host.dataset.subject !== data.subject) host.goldvizZoom &&= {};
  host.dataset.subject = data.subject;
  keepZoom(host, figure.layout);
  const config = { ...CONFIG, edits: { shapePosition: data.movable } };
  return Plotly.react(host, figure.data, figure.layout, config).then(() => {
    watchZoom(host);
    watchDrags(host);
    watchWidth(host, Plotly);
    host.dataset.updates = Number(host.dataset.updates || 0) + 1;
  });
}

function purge(host) {
  if (!host.dataset.drawn) return;
  window.removeEventListener("resize", host.goldvizResize);
  window.Plotly.purge(host);
  delete host.dataset.drawn;
  host.goldvizShown = undefined;
  host.goldvizZoom = undefined;
  host.goldvizDrags = undefined;
  host.goldvizResize = undefined;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".goldviz-figure");
  host.goldvizTell = setTriggerValue;
  host.setAttribute("aria-label", data.description);
  const figure = JSON.parse(data.figure);
  host.style.height = `${figure.layout.height}px`;
  if (!host.dataset.drawn) {
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
