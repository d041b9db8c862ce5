// The text in pieces, each with its number in the vocabulary. A press chooses the query.

import { spanOf } from "./cells.js";

export class TokenStrip {
  constructor(parts, told) {
    this.host = parts.tokens;
    this.title = parts["tokens-title"];
    this.told = told;
    this.host.addEventListener("click", (event) => {
      const chip = event.target.closest("button");
      if (chip) told.token(Number(chip.dataset.token));
    });
  }

  show({ tokens, ids, special, second }) {
    const pair = second.length > 0;
    const ordinary = special.filter((one) => !one).length;
    this.title.textContent = `${tokens.length} tokens`;
    this.title.title = `${ordinary} of the text, ${tokens.length - ordinary} special`;
    this.chips = tokens.map((token, at) => {
      const chip = document.createElement("button");
      chip.type = "button";
      chip.dataset.token = at;
      const name = document.createElement("bdi");
      name.textContent = token;
      chip.append(name, spanOf(String(ids[at]), "number"));
      chip.setAttribute("aria-label", `token ${at + 1}: ${token}, number ${ids[at]}${pair ? `, sentence ${second[at] ? "B" : "A"}` : ""}`);
      if (special[at]) chip.classList.add("special");
      if (second[at]) chip.classList.add("second");
      return chip;
    });
    this.host.replaceChildren(...this.chips);
  }

  mark(token) {
    this.chips?.forEach((chip, at) => chip.setAttribute("aria-pressed", String(at === token)));
  }
}
