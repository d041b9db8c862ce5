// What a figure says beside its drawing: to readers its result, and behind an i those of its notes that two lines do not
// hold.

const NOTE_LINES = 2;
const ENDS = 4;

// Plotly's labels hold tags such as <sup> and entities such as &lt;, which take no room or less than they are long.
export function visible(text) {
  return text
    .replace(/<[^>]*>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&");
}

// A number as one says it.
function spokenNumber(value) {
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(1) : String(Number(value.toPrecision(3)));
}

// Ten to a power as one says it, also beyond what a number holds.
function spokenPower(exponent) {
  if (Math.abs(exponent) < 300) return spokenNumber(10 ** exponent);
  const whole = Math.floor(exponent);
  const mantissa = (10 ** (exponent - whole)).toFixed(1);
  const [digits, power] = mantissa === "10.0" ? ["1.0", whole + 1] : [mantissa, whole];
  return `${digits}e${power > 0 ? "+" : ""}${power}`;
}

// Where a figure's named curves end, in words. `logarithms` names axes whose numbers are exponents of ten: those are
// drawn as such because a log axis holds no number below 1e-308.
export function endsOf(traces, logarithms = {}) {
  const curves = traces.filter(({ type = "scatter", mode = "", name, visible: seen, showlegend }) => {
    return type.startsWith("scatter") && mode.includes("lines") && name && seen !== false && showlegend !== false;
  });
  const ends = curves.map(({ name, y, yaxis = "y" }) => {
    const end = Array.from(y?._inputArray ?? y ?? []).filter(Number.isFinite).at(-1);
    return [name, end, logarithms[yaxis] ? spokenPower : spokenNumber];
  });
  const known = ends.filter(([, end]) => end !== undefined).slice(0, ENDS);
  return known.map(([name, end, spoken]) => `${visible(name)} ends at ${spoken(end)}`);
}

// A figure's label for readers: its notes and where its curves end; without either, the words it was given.
export function resultOf(notes, traces, description, logarithms) {
  const said = notes.map((note) => visible(note).replace(/\s+/g, " ").replace(/[.\s]+$/, "")).filter(Boolean);
  const all = [...said, endsOf(traces, logarithms).join(", ")].filter(Boolean);
  return all.length ? `${all.join(". ")}.` : description;
}

function endOf(axis, value, spoken) {
  const { type, _categories: names } = axis;
  if (type === "date") return String(value).slice(0, 10);
  if (type === "log") return spokenPower(value);
  if (!names?.length) return spoken(value);
  return visible(String(names[Math.min(names.length - 1, Math.max(0, Math.round(value)))]));
}

// What a drawn figure's axes and colours reach over: "Epoch from 1 to 20", each once.
export function rangesOf(layout) {
  const said = Object.entries(layout).flatMap(([key, axis]) => {
    if (!/^([xy]|color)axis\d*$/.test(key) || !axis?.title?.text || axis.visible === false) return [];
    const range = axis.range ?? [axis.cmin, axis.cmax];
    if (!range?.every((end) => end !== undefined && end !== null)) return [];
    const ends = axis.type === "date" ? range : range.map(Number).sort((one, other) => one - other);
    const spoken = layout.meta?.logarithms?.[key.replace("axis", "")] ? spokenPower : spokenNumber;
    const [low, high] = ends.map((end) => endOf(axis, end, spoken));
    return [`${visible(axis.title.text).replace(/\s+/g, " ")} from ${low} to ${high}`];
  });
  return [...new Set(said)];
}

export function isCut(lines) {
  return lines.length > NOTE_LINES;
}

// The lines that stand under a title; all of them stand behind the i where these are cut.
export function inTwoLines(lines) {
  return !isCut(lines) ? lines : [...lines.slice(0, NOTE_LINES - 1), `${lines[NOTE_LINES - 1]} …`];
}

function infoOf(host) {
  const known = [...host.children].find((child) => child.className === "goldviz-info");
  if (known) return known;
  const info = document.createElement("details");
  info.className = "goldviz-info";
  info.append(document.createElement("summary"), document.createElement("p"));
  info.firstChild.textContent = "i";
  info.firstChild.setAttribute("aria-label", "More about this figure");
  host.append(info);
  return info;
}

// Of a veiled figure readers hear what it would show. In a report its description stands below it.
export function tellWords(host, layout, description, veiled) {
  const notes = layout.meta?.notes ?? [];
  const result = resultOf(notes, host._fullData ?? [], description, layout.meta?.logarithms);
  host.setAttribute("aria-label", veiled ? description : result);
  const reach = rangesOf({ ...host._fullLayout, meta: layout.meta }).map((range) => `${range}.`);
  host.setAttribute("aria-description", [description, ...reach].join(" "));
  const about = veiled || host.closest("figure") ? [] : [description];
  const more = [...(layout.meta?.cut ? notes.map(visible) : []), ...about].filter(Boolean);
  if (more.length) infoOf(host).lastChild.textContent = more.join(" ");
  else [...host.children].find((child) => child.className === "goldviz-info")?.remove();
}
