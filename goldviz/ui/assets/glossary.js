// Terms of the documents in a page's words: the first use of each shows what it means on hover, tap and focus.
//
// The page's texts belong to React. A text node of its own is only ever shortened, never moved: what is marked stands
// behind it, and goes as soon as the text is not what it was.

const PROSE = '[data-testid="stMarkdownContainer"]';
const APART = "h1,h2,h3,h4,h5,h6,strong,a,button,label,code,pre,th,summary,.katex,.st-key-knobs,.st-key-glossary-terms";
const CALM = 200;
/* Milliseconds without a change after which a page's words are read. */

/** Finds the forms of terms as whole words, longer forms first; ``termOf`` gives the term of what was found. */
export function finder(terms) {
  const byForm = new Map(terms.flatMap((term) => term.forms.map((form) => [form.toLowerCase(), term])));
  const forms = [...byForm.keys()].sort((a, b) => b.length - a.length);
  const escaped = forms.map((form) => form.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${escaped.join("|")})(?![\\p{L}\\p{N}_-])`, "giu");
  return { pattern, termOf: (found) => byForm.get(found.toLowerCase()) };
}

/** The first use of each term in a text that is not among those already marked: where it is, and the term. */
export function firstUses(text, { pattern, termOf }, marked) {
  const found = new Map();
  for (const match of text.matchAll(pattern)) {
    const term = termOf(match[0]);
    if (!marked.has(term.slug) && !found.has(term.slug)) found.set(term.slug, { at: match.index, form: match[0], term });
  }
  return [...found.values()];
}

/** Text nodes of the page's words, but for headings and what is bold as one, links, buttons, labels and formulas. */
function* proseOf(root) {
  for (const prose of root.querySelectorAll(PROSE)) {
    if (prose.closest(APART)) continue;
    const inside = (node) => (node.parentElement.closest(APART) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
    const walker = document.createTreeWalker(prose, NodeFilter.SHOW_TEXT, inside);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    yield* texts;
  }
}

function wordOf(term) {
  const word = document.createElement("button");
  word.type = "button";
  word.className = "goldviz-term";
  word.dataset.term = term.slug;
  word.setAttribute("aria-describedby", "goldviz-term");
  return word;
}

/** The marks of the page in view. */
class Marks {
  constructor(terms) {
    this.finder = finder(terms);
    this.held = new Map();
  }

  /** Take marks away whose text has changed or gone. */
  tidy() {
    for (const [slug, { text, head, made }] of this.held) {
      if (text.isConnected && text.data === head) continue;
      made.forEach((node) => node.remove());
      this.held.delete(slug);
    }
  }

  read(root) {
    this.tidy();
    for (const text of proseOf(root)) {
      const [first] = firstUses(text.nodeValue, this.finder, this.held);
      if (first && text.parentElement.checkVisibility()) this.mark(text, first);
    }
  }

  mark(text, { at, form, term }) {
    text.splitText(at + form.length);
    const [rest, found, word] = [text.nextSibling, text.splitText(at), wordOf(term)];
    found.replaceWith(word);
    word.append(found);
    this.held.set(term.slug, { text, head: text.data, made: [word, rest] });
  }
}

/** The words about a term, beside its use. */
class Tip {
  constructor(terms) {
    this.terms = new Map(terms.map((term) => [term.slug, term]));
    this.box = document.createElement("div");
    this.box.id = "goldviz-term";
    this.box.className = "goldviz-term-tip";
    this.box.setAttribute("role", "tooltip");
    this.box.hidden = true;
  }

  show(word) {
    clearTimeout(this.going);
    if (this.word !== word) this.fill(this.terms.get(word.dataset.term));
    this.word = word;
    this.box.hidden = false;
    this.place();
  }

  fill(term) {
    const parts = [["strong", term.name], ["p", term.words], ["p", term.equation], ["small", term.place]];
    const made = parts.map(([tag, words]) => Object.assign(document.createElement(tag), { textContent: words }));
    made[2].className = "goldviz-term-equation";
    if (new URL(term.href, location.href).pathname !== location.pathname) {
      const seen = Object.assign(document.createElement("a"), { href: term.href, textContent: `Seen in ${term.seen}` });
      seen.target = "_blank";
      made[3].append(" · ", seen);
    }
    this.box.replaceChildren(...made);
  }

  place() {
    if (this.box.hidden) return;
    if (!this.word.isConnected) return this.hide();
    const [at, box] = [this.word.getBoundingClientRect(), this.box.getBoundingClientRect()];
    const left = Math.max(8, Math.min(at.left, innerWidth - box.width - 8));
    const below = at.bottom + 6;
    const top = below + box.height > innerHeight - 8 ? at.top - box.height - 6 : below;
    Object.assign(this.box.style, { left: `${left}px`, top: `${Math.max(8, top)}px` });
  }

  hide() {
    clearTimeout(this.going);
    this.box.hidden = true;
    this.word = null;
  }

  hideSoon() {
    clearTimeout(this.going);
    this.going = setTimeout(() => this.hide(), CALM);
  }
}

function watch(terms) {
  const [marks, tip] = [new Marks(terms), new Tip(terms)];
  const root = document.querySelector('[data-testid="stMain"]') ?? document.body;
  const wordAt = (event) => event.target.closest?.(".goldviz-term");
  let due;
  const read = () => {
    marks.read(root);
    tip.place();
  };
  const soon = () => {
    clearTimeout(due);
    due = setTimeout(read, CALM);
  };
  const ofFigures = ({ target }) => target instanceof SVGElement || target.closest?.(".goldviz-figure");
  const observer = new MutationObserver((changes) => {
    if (changes.every(ofFigures)) return;
    marks.tidy();
    soon();
  });
  observer.observe(root, { childList: true, characterData: true, subtree: true });
  const over = (event) => {
    if (event.pointerType === "touch") return;
    if (wordAt(event)) tip.show(wordAt(event));
    else if (tip.box.contains(event.target)) clearTimeout(tip.going);
    else if (!tip.box.hidden && document.activeElement !== tip.word) tip.hideSoon();
  };
  document.addEventListener("pointerover", over);
  document.addEventListener("focusin", (event) => (wordAt(event) ? tip.show(wordAt(event)) : tip.hide()));
  document.addEventListener("click", (event) => {
    if (wordAt(event)) tip.show(wordAt(event));
    else if (!event.composedPath().includes(tip.box)) tip.hide();
  });
  document.addEventListener("keydown", (event) => event.key === "Escape" && tip.hide());
  document.addEventListener("toggle", soon, true);
  document.addEventListener("scroll", () => tip.place(), true);
  soon();
  return { tip, soon };
}

let watched;

export default function ({ data, parentElement }) {
  watched ??= watch(data.terms);
  watched.tip.hide();
  parentElement.append(watched.tip.box);
  watched.soon();
}
