// Where values stand on a figure that is in view, whoever drew it: marks and guesses lie over pictures and over what
// Plotly drew alike.

import { PLOTLY } from "./figure_laid.js";

// Plotly's axis as the picture's are. A person may have zoomed: only Plotly knows where its values stand now.
function asOurs({ _id: id, _offset: start, _length: length, d2p, p2d, type, visible, _categories }) {
  const names = /category/.test(type) ? _categories ?? [] : undefined;
  return { id, start, length, visible, names, at: (value) => start + d2p(value), valueAt: (pixel) => p2d(pixel - start) };
}

function pairs(data, axes) {
  const named = (letter, trace) => axes[(trace[`${letter}axis`] ?? letter).replace(/^./, "$&axis")];
  const all = data.map((trace) => [named("x", trace), named("y", trace)]);
  return [...new Map(all.map(([xaxis, yaxis]) => [`${xaxis.id} ${yaxis.id}`, { xaxis, yaxis }])).values()];
}

// The panels of a figure, each with the two axes that it has: their `id`, the pixel of their `start`, their `length`, ways
// from values to pixels and back, and the names that stand at them, if any.
export function panelsOf(host) {
  const { axes, painted } = host.goldvizPlace ?? {};
  if (host.dataset.drawn !== PLOTLY) return axes ? pairs(painted.figure.data, axes) : [];
  const plots = Object.values(host._fullLayout?._plots ?? {});
  return plots.filter(({ xaxis, yaxis }) => xaxis.d2p && yaxis.d2p).map(({ xaxis, yaxis }) => ({ xaxis: asOurs(xaxis), yaxis: asOurs(yaxis) }));
}

// What a figure says of itself beside what is drawn.
export const metaOf = (host) => host.goldvizPlace?.painted?.figure.layout.meta ?? {};
