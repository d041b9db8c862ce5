// A weight worked out: words in their places, of the query that the page's script says or, ahead of it, the server.

import { positionsPage } from "../../../ui/assets/frames_page.js";

export default function ({ data, parentElement }) {
  const host = parentElement.querySelector(".goldviz-by-hand");
  const page = positionsPage(data.page);
  const write = () => {
    const words = page.aheadOf(data.subject, data.name)?.figure ?? data.words;
    for (const place of host.querySelectorAll("[data-word]")) {
      const said = words[place.dataset.word];
      if (place.textContent !== said) place.textContent = said;
    }
  };
  write();
  return page.watch({ host, changed: () => undefined, answered: write });
}
