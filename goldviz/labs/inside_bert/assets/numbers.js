// What the server sends, as typed arrays; and how numbers are written.

import { decoded } from "../../../ui/assets/figure_fill.js";

export async function fetchNumbers(address, signal) {
  const response = await fetch(address, { signal });
  if (!response.ok) throw Object.assign(new Error(await response.text()), { status: response.status });
  return decoded(await response.arrayBuffer());
}

// Not every browser has Float16Array. 65 536 halves are decoded once, then looked up.
let halves;

function decodedHalves() {
  if (halves) return halves;
  halves = new Float32Array(65536);
  for (let bits = 0; bits < 65536; bits += 1) {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 31;
    const fraction = (bits & 1023) / 1024;
    if (exponent === 31) halves[bits] = fraction ? NaN : sign * Infinity;
    else halves[bits] = sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction) : 2 ** -14 * fraction);
  }
  return halves;
}

export function halfFloats(buffer, start) {
  const table = decodedHalves();
  return Float32Array.from(new Uint16Array(buffer, start), (bits) => table[bits]);
}

// Four significant digits; nothing is rounded away to 0 or up to 1 without a trace.
export function written(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  return value === 0 || value === 1 ? String(value) : value.toPrecision(digits);
}

// A weight beside a word: thousandths are what an eye compares.
export function shortly(weight) {
  return weight > 0 && weight < 0.0005 ? "< 0.001" : weight.toFixed(3);
}

export function percent(share) {
  if (share === null || share === undefined) return "–";
  if (share > 0 && share < 1e-5) return "under 0.001 %";
  return `${(100 * share).toPrecision(share >= 0.9995 ? 4 : 3)} %`;
}

// The smallest positive and the largest of some numbers.
export function extent(values, start = 0, end = values.length) {
  let low = Infinity;
  let high = 0;
  let zeros = 0;
  for (let i = start; i < end; i += 1) {
    const value = values[i];
    if (value > high) high = value;
    if (value > 0 && value < low) low = value;
    if (!(value > 0)) zeros += 1;
  }
  return { low: Math.min(low, high || 1), high: high || 1, zeros };
}
