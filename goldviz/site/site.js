// What a page of a site has beside its figures: a search, a guess before an answer, and keeping pages for a time
// without a network.

import "../export/report.js";

function search() {
  const field = document.querySelector("input#search");
  if (!field) return;
  const [matches, nothing, map] = ["matches", "nothing", "map"].map((id) => document.getElementById(id));
  field.oninput = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const entry of matches.querySelectorAll("li")) {
      entry.hidden = !words.every((word) => entry.dataset.words.includes(word));
      count += entry.hidden ? 0 : 1;
    }
    map.hidden = words.length > 0;
    matches.hidden = !map.hidden;
    nothing.hidden = !map.hidden || count > 0;
  };
}

function guess() {
  const place = document.querySelector(".guess");
  if (!place) return;
  const choices = [...place.querySelectorAll("button")];
  const answer = place.lastElementChild;
  for (const choice of choices) {
    choice.onclick = () => {
      const right = choices[place.dataset.right];
      const [said, measured] = [choice, right].map((one) => one.textContent);
      answer.firstElementChild.textContent =
        choice === right ? `Right: ${measured}.` : `You said: ${said}. Measured: ${measured}.`;
      answer.hidden = false;
      for (const one of choices) one.setAttribute("aria-pressed", String(one === choice));
      document.querySelector(".asks")?.classList.remove("asks");
    };
  }
}

// A worker needs a web address; files on a disk are there without a network anyway.
async function keep() {
  if (!("serviceWorker" in navigator) || !location.protocol.startsWith("http")) return;
  const root = new URL(".", document.querySelector("script[src]").src);
  await navigator.serviceWorker.register(new URL("worker.js", root));
  const button = document.querySelector("button#keep");
  if (!button) return;
  const { worker } = await navigator.serviceWorker.ready.then((ready) => ({ worker: ready.active }));
  const about = await (await fetch(new URL("site.json", root))).json();
  const megabytes = Math.max(1, Math.round(about.bytes / 1e6));
  button.textContent = `Keep all ${about.files.length} files for a time without a network (${megabytes} MB)`;
  button.parentElement.hidden = false;
  const words = document.getElementById("kept");
  navigator.serviceWorker.onmessage = ({ data }) => {
    words.textContent = data.lost
      ? `Stopped after ${data.done} of ${data.total}: the network or this browser's room ended.`
      : data.done < data.total
        ? `${data.done} of ${data.total}`
        : "All kept.";
    button.disabled = !data.lost && data.done < data.total;
  };
  button.onclick = () => worker.postMessage("keep");
}

search();
guess();
keep().catch(() => undefined);
