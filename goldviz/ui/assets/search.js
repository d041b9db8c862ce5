// The search: a list that the browser looks through by itself, by the words that people use, with a slip of the keys
// forgiven. It is fetched when somebody comes near the field.

const SHOWN = 8;
// From so many letters on a word may have a slip, and two.
const ONE_SLIP = 4;
const TWO_SLIPS = 8;
const EXACT = 1;
const BEGINS = 0.8;
const SLIP = 0.4;
// What a title says counts for more than what stands below it.
const BELOW = 0.5;

export const wordsOf = (text) => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").match(/[\p{L}\p{N}]+/gu) ?? [];

// How many letters are to be added, left out, changed or exchanged with their neighbour until `typed` begins `word`.
export function slips(typed, word) {
  let [before, last] = [[], [...Array(word.length + 1).keys()]];
  for (let row = 1; row <= typed.length; row++) {
    const next = [row];
    for (let at = 1; at <= word.length; at++) {
      const same = typed[row - 1] === word[at - 1];
      next[at] = Math.min(last[at] + 1, next[at - 1] + 1, last[at - 1] + (same ? 0 : 1));
      const exchanged = row > 1 && at > 1 && typed[row - 1] === word[at - 2] && typed[row - 2] === word[at - 1];
      if (exchanged) next[at] = Math.min(next[at], before[at - 2] + 1);
    }
    [before, last] = [last, next];
  }
  return Math.min(...last);
}

const forgiven = (typed) => (typed.length >= TWO_SLIPS ? 2 : typed.length >= ONE_SLIP ? 1 : 0);

function worthOf(typed, words, isForgiven) {
  let best = 0;
  for (const word of words) {
    if (word === typed) return EXACT;
    if (word.startsWith(typed)) best = Math.max(best, BEGINS);
    else if (isForgiven && best < SLIP && slips(typed, word) <= forgiven(typed)) best = SLIP;
  }
  return best;
}

// An entry as [title, kind, place, further words] with its words apart.
export const prepared = (entries) =>
  entries.map(([title, kind, place, more], number) => ({ number, title, kind, place, own: wordsOf(title), below: wordsOf(`${place} ${more}`) }));

// The entries that have every word that was typed, the best first; alike ones in the list's order.
export function found(entries, typed) {
  const words = wordsOf(typed);
  if (!words.length) return [];
  // A slip is looked for where nothing begins with what was typed.
  const unknown = new Set(words.filter((word) => !entries.some(({ own, below }) => worthOf(word, own, false) || worthOf(word, below, false))));
  const worth = (entry) => {
    let sum = 0;
    for (const word of words) {
      const one = Math.max(worthOf(word, entry.own, unknown.has(word)), BELOW * worthOf(word, entry.below, unknown.has(word)));
      if (!one) return 0;
      sum += one;
    }
    return sum;
  };
  return entries
    .map((entry) => [worth(entry), entry])
    .filter(([sum]) => sum)
    .sort(([one], [other]) => other - one)
    .slice(0, SHOWN)
    .map(([, entry]) => entry);
}

const lists = new Map();
function listAt(address) {
  if (!lists.has(address)) {
    const list = fetch(address).then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(answer.statusText)))).then(prepared);
    list.catch(() => lists.delete(address));
    lists.set(address, list);
  }
  return lists.get(address);
}

const isTyping = ({ target }) => target.closest?.("input, textarea, select, [contenteditable=true]");

// The field in its place. `choose` is told the number of the entry that a person wants.
export function placeOfSearch(host, { address, isOver }, choose) {
  host.classList.add("goldviz-search");
  host.classList.toggle("goldviz-search-over", isOver);
  host.innerHTML = `<input type="search" role="combobox" aria-expanded="false" aria-controls="goldviz-found" aria-autocomplete="list"
    aria-label="Search" placeholder="Search: vanishing, FinBERT, BPTT, eq. 27" autocomplete="off" spellcheck="false">
    <ul id="goldviz-found" role="listbox" aria-label="Found" hidden></ul>`;
  const [field, list] = [host.querySelector("input"), host.querySelector("ul")];
  let [shown, at, asked] = [[], 0, 0];
  const open = (is) => host.classList.toggle("goldviz-open", is);
  const close = () => {
    [shown, at] = [[], 0];
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    field.setAttribute("aria-activedescendant", "");
  };
  const mark = () => {
    for (const [place, row] of [...list.children].entries()) row.setAttribute("aria-selected", String(place === at));
    if (shown.length) field.setAttribute("aria-activedescendant", `goldviz-found-${at}`);
  };
  const show = (entries, otherwise = "Nothing is called like that.") => {
    [shown, at] = [entries, 0];
    const rows = entries.map(({ title, kind, place }, number) => {
      const row = document.createElement("li");
      row.id = `goldviz-found-${number}`;
      row.setAttribute("role", "option");
      const [words, about] = [document.createElement("span"), document.createElement("small")];
      words.textContent = title;
      about.textContent = place ? `${kind} · ${place}` : kind;
      row.append(words, about);
      // Before the field loses the focus, which closes the list.
      row.onpointerdown = (event) => event.preventDefault();
      row.onclick = () => take(number);
      return row;
    });
    if (!rows.length) {
      const nothing = document.createElement("li");
      nothing.textContent = otherwise;
      rows.push(nothing);
    }
    list.replaceChildren(...rows);
    list.hidden = false;
    field.setAttribute("aria-expanded", "true");
    mark();
  };
  const take = (number) => {
    if (!shown[number]) return;
    const entry = shown[number];
    field.value = "";
    close();
    open(false);
    field.blur();
    choose(entry.number);
  };
  const leave = () => {
    close();
    open(false);
  };
  field.onfocus = () => listAt(address).catch(() => undefined);
  field.oninput = async () => {
    const turn = ++asked;
    if (!field.value.trim()) return close();
    try {
      const entries = await listAt(address);
      if (turn === asked) show(found(entries, field.value));
    } catch {
      if (turn === asked) show([], "The list did not come from the server. Reload the page.");
    }
  };
  field.onblur = leave;
  field.onkeydown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && shown.length) {
      at = (at + step + shown.length) % shown.length;
      mark();
    } else if (event.key === "Enter") take(at);
    else if (event.key === "Escape") field.blur();
    else return;
    event.preventDefault();
  };
  const hear = (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    event.preventDefault();
    open(true);
    field.focus();
  };
  document.addEventListener("keydown", hear);
  return () => document.removeEventListener("keydown", hear);
}

export default function ({ parentElement, data, setTriggerValue }) {
  const host = parentElement.querySelector(".goldviz-search-place") ?? parentElement;
  const about = JSON.stringify(data);
  host.goldvizChoose = (number) => setTriggerValue("chosen", number);
  if (host.goldvizSearch === about) return undefined;
  host.goldvizLeave?.();
  host.goldvizSearch = about;
  host.goldvizLeave = placeOfSearch(host, data, (number) => host.goldvizChoose(number));
  return () => {
    host.goldvizLeave?.();
    host.goldvizSearch = host.goldvizLeave = undefined;
  };
}
