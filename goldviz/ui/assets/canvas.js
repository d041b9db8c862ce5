// A canvas of this many CSS pixels, as fine as the screen; returns its context, cleared and scaled to CSS pixels. What is
// presented is shown `larger` than it is drawn.
export function sized(canvas, width, height, larger = 1) {
  const fine = (globalThis.devicePixelRatio || 1) * larger;
  const [across, down] = [Math.round(width * fine), Math.round(height * fine)];
  if (canvas.width !== across || canvas.height !== down) Object.assign(canvas, { width: across, height: down });
  for (const [side, pixels] of Object.entries({ width, height }))
    if (canvas.style[side] !== `${pixels}px`) canvas.style[side] = `${pixels}px`;
  const context = canvas.getContext("2d");
  context.setTransform(fine, 0, 0, fine, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}
