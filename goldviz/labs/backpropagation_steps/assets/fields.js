// Where a number is typed, and what stands in place of one that is not known yet.

export const WAITS = '<span class="unknown">…</span>';

export function field(place, words) {
  return `<input type="text" inputmode="decimal" autocomplete="off" data-place="${place}" aria-label="${words}">`;
}
