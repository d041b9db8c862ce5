// Axes of one scale, as Plotly draws them: a unit is as long along each of them, or as many times as long as they ask for.
// The axis whose unit is shortest stays as it is; the others have less of the plot, or reach further.

import { beyond } from "./figure_svg.js";

// The end that stays in its place, as a share of the axis.
const TOWARD = { left: 0, bottom: 0, center: 0.5, middle: 0.5, right: 1, top: 1 };
// Scales that differ by no more than this are one.
const ALMOST = 1 - 1e-6;

// Axes that are tied to one another, each with how many times as long its unit is as that of the axis they all follow.
function groupsOf(axes) {
  const groups = new Map();
  for (const axis of Object.values(axes)) {
    let [last, ratio] = [axis, 1];
    for (let ties = 0; last.scaleanchor; ties++) {
      if (last.fixedrange || last.matches || last.type === "log" || ties > Object.keys(axes).length) beyond("axes of one scale that Plotly may not change");
      ratio *= last.scaleratio || 1;
      last = axes[last.scaleanchor.replace(/^./, "$&axis")] ?? beyond("an axis on the scale of none");
    }
    groups.set(last, [...(groups.get(last) ?? []), { axis, ratio }]);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

function shrink(axis, by, toward) {
  if (!axis.ends) beyond("axes of one scale whose reach Plotly finds");
  const fixed = axis.from + toward * (axis.to - axis.from);
  [axis.from, axis.to] = [axis.from, axis.to].map((end) => fixed + (end - fixed) / by);
  axis.length /= by;
}

function widen(axis, by, toward) {
  const fixed = axis.low + toward * (axis.high - axis.low);
  [axis.low, axis.high] = [axis.low, axis.high].map((end) => fixed + (end - fixed) * by);
}

// Changes axes that are as long and reach as far as they would alone.
export function toOneScale(axes) {
  for (const group of groupsOf(axes)) {
    const scales = group.map(({ axis, ratio }) => axis.length / Math.abs(axis.high - axis.low) / ratio);
    const least = Math.min(...scales);
    group.forEach(({ axis }, at) => {
      if (least > ALMOST * scales[at]) return;
      const change = axis.constrain === "domain" ? shrink : widen;
      change(axis, scales[at] / least, TOWARD[axis.constraintoward] ?? TOWARD.center);
    });
  }
}
