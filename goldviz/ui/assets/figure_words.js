// What a figure says beside its drawing: to readers its result, and behind an i those of its notes that two lines do not
// hold.

const NOTE_LINES = 2;
const ENDS = 4;

// A number as one says it.
function spokenNumber(value) {
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(1) : String(Number(value.toPrecision(3)));
}

// Where a figure's named curves end, in words.
export function endsOf(traces) {
  const curves = traces.filter(({ type = "scatter", mode = "", name, visible: seen, showlegend }) => {
    return type.startsWith("scatter") && mode.includes("lines") && name && seen !== false && showlegend !== false;
  });
  const ends = curves.map(({ name, y }) => [name, Array.from(y?._inputArray ?? y ?? []).filter(Number.isFinite).at(-1)]);
  return ends.filter(([, end]) => end !== undefined).slice(0, ENDS).map(([name, end]) => `${visible(name)} ends at ${spokenNumber(end)}`);
}

// A figure's label for readers: its notes and where its curves end; without either, the words it was given.
export function resultOf(notes, traces, description) {
  const said = notes.map((note) => visible(note).replace(/\s+/g, " ").replace(/[.\s]+$/, "")).filter(Boolean);
  const all = [...said, endsOf(traces).join(", ")].filter(Boolean);
  return all.length ? `${all.join(". ")}.` : description;
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

function tellWords(host, layout, description) {
  const notes = layout.meta?.notes ?? [];
  host.setAttribute("aria-label", resultOf(notes, host._fullData ?? [], description));
  host.setAttribute("aria-description", description);
  if (layout.meta?.cut) infoOf(host).lastChild.textContent = notes.map(visible).join(" ");
  else [...host.children].find((child) => child.className === "goldviz-info")?.remove();
}
