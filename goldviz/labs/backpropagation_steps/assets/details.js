// What is chosen in the diagram: its formulas, its numbers to change, and its gradients.

import { inputParts, lossParts, neuronParts } from "./formulas.js";
import { allowedNumber } from "./numbers.js";

// Parts are built anew when something else is chosen; otherwise only their words change, so that typing goes on.
export class Details {
  constructor(host, told) {
    this.host = host;
    this.told = told;
    host.addEventListener("input", (event) => this.typed(event.target));
    host.addEventListener("change", ({ target }) => {
      if (target.matches("select")) told.change(target.dataset.place, Number(target.value));
    });
  }

  typed(input) {
    if (!input.matches("input[data-place]")) return;
    const value = allowedNumber(input.value);
    input.classList.toggle("refused", value === undefined);
    if (value !== undefined) this.told.change(input.dataset.place, value);
  }

  draw(view) {
    const parts = this.partsOf(view);
    const built = JSON.stringify([view.chosen, parts.map((part) => part.shape ?? part.key)]);
    if (built !== this.built) {
      this.host.innerHTML = parts.map((part) => part.frame ?? `<p class="formula" data-key="${part.key}"></p>`).join("");
      this.built = built;
    }
    for (const part of parts) {
      for (const [key, words] of Object.entries(part.cells ?? { [part.key]: part.words })) {
        const cell = this.host.querySelector(`[data-key="${key}"]`);
        if (cell.innerHTML !== words) cell.innerHTML = words;
      }
      for (const [place, value] of Object.entries(part.inputs ?? {})) this.write(place, value);
    }
  }

  // A field says its number; the one that is typed in keeps what the person wrote, be it "0." or no number yet.
  write(place, value) {
    const input = this.host.querySelector(`input[data-place="${place}"]`);
    const typing = input === this.host.getRootNode().activeElement;
    if (typing && (allowedNumber(input.value) === value || input.classList.contains("refused"))) return;
    input.value = String(value);
    input.classList.remove("refused");
  }

  partsOf(view) {
    const { chosen } = view;
    if (chosen.startsWith("loss")) return lossParts(view);
    if (chosen[0] === "x") return inputParts(view);
    const [layer, unit] = chosen.slice(1).split(".").map((one) => one - 1);
    return neuronParts(view, layer, unit);
  }
}
