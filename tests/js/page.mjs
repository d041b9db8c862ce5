// A page without a browser, for tests of the page's modules in Node.js: imported first, it stands in for `document` and
// `window`. Elements are what the modules need of them: attributes, classes, styles, children from HTML, events, and a
// canvas that keeps what was drawn on it.

const VOID = new Set(["input", "br"]);
const camel = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

class Events {
  listeners = [];

  addEventListener(name, listener) {
    this.listeners.push([name, listener]);
  }

  removeEventListener(name, listener) {
    this.listeners = this.listeners.filter(([known, own]) => known !== name || own !== listener);
  }

  // An event with these properties, here and at all elements around; the event comes back.
  hear(name, properties = {}) {
    const event = { type: name, target: this, currentTarget: this, prevented: false, ...properties };
    event.preventDefault = () => (event.prevented = true);
    event.stopPropagation = () => (event.stopped = true);
    event.composedPath = () => [this];
    for (let at = this; at && !event.stopped; at = at.parentNode) {
      event.currentTarget = at;
      for (const [known, listener] of [...at.listeners]) if (known === name) listener.call(at, event);
      at[`on${name}`]?.call(at, event);
    }
    return event;
  }

  dispatchEvent({ type }) {
    this.hear(type);
  }
}

export class Element extends Events {
  constructor(tag, attributes = {}) {
    super();
    Object.assign(this, { localName: tag, childNodes: [], attributes: {}, dataset: {}, hidden: false, disabled: false });
    Object.assign(this, { value: "", clientWidth: 600, clientHeight: 400, scrollLeft: 0, scrollTop: 0, isConnected: true });
    this.style = { setProperty: (name, value) => (this.style[name] = value) };
    for (const [name, value] of Object.entries(attributes)) this.setAttribute(name, value);
  }

  get children() {
    return this.childNodes.filter((child) => child instanceof Element);
  }

  get classes() {
    return (this.attributes.class ?? "").split(/\s+/).filter(Boolean);
  }

  get className() {
    return this.attributes.class ?? "";
  }

  set className(words) {
    this.attributes.class = words;
  }

  get classList() {
    const set = (names) => (this.attributes.class = [...new Set(names)].join(" "));
    const toggle = (name, on = !this.classes.includes(name)) =>
      set(on ? [...this.classes, name] : this.classes.filter((known) => known !== name));
    return {
      toggle,
      add: (...names) => names.forEach((name) => toggle(name, true)),
      remove: (...names) => names.forEach((name) => toggle(name, false)),
      contains: (name) => this.classes.includes(name),
    };
  }

  get textContent() {
    return this.childNodes.map((child) => child.textContent ?? String(child)).join("");
  }

  set textContent(words) {
    this.replaceChildren(String(words));
  }

  set innerHTML(html) {
    this.html = html;
    this.replaceChildren(...parsed(html));
  }

  get innerHTML() {
    return this.html ?? this.textContent;
  }

  set outerHTML(html) {
    const [made] = parsed(html);
    made.html = html;
    made.parentNode = this.parentNode;
    this.parentNode.childNodes.splice(this.parentNode.childNodes.indexOf(this), 1, made);
  }

  get firstChild() {
    return this.childNodes[0];
  }

  get firstElementChild() {
    return this.children[0];
  }

  get lastChild() {
    return this.childNodes.at(-1);
  }

  get parentElement() {
    return this.parentNode;
  }

  get previousElementSibling() {
    const all = this.parentNode.children;
    return all[all.indexOf(this) - 1];
  }

  get nextElementSibling() {
    const all = this.parentNode.children;
    return all[all.indexOf(this) + 1];
  }

  get options() {
    return this.querySelectorAll("option");
  }

  append(...nodes) {
    for (const node of nodes) {
      this.childNodes.push(node);
      if (!(node instanceof Element)) continue;
      node.parentNode = this;
      // What a choice shows at first.
      if (node.localName === "option" && (this.value === "" || node.selected)) this.value = node.value;
    }
  }

  prepend(node) {
    this.childNodes.unshift(node);
    node.parentNode = this;
  }

  replaceChildren(...nodes) {
    this.childNodes = [];
    this.append(...nodes);
  }

  remove() {
    const { childNodes } = this.parentNode;
    childNodes.splice(childNodes.indexOf(this), 1);
  }

  setAttribute(name, value) {
    this.attributes[name] = String(value);
    if (name.startsWith("data-")) this.dataset[camel(name.slice(5))] = String(value);
    else if (name !== "class" && name !== "style") this[camel(name)] = name === "hidden" || String(value);
  }

  getAttribute(name) {
    return this.attributes[name] ?? null;
  }

  matches(selector) {
    return selector.split(",").some((one) => {
      const parts = one.trim().split(/\s+/);
      return fits(this, parts.at(-1)) && (parts.length === 1 || this.parentNode?.closest(parts.slice(0, -1).join(" ")));
    });
  }

  closest(selector) {
    for (let at = this; at instanceof Element; at = at.parentNode) if (at.matches(selector)) return at;
    return null;
  }

  querySelectorAll(selector) {
    const direct = selector.startsWith(":scope > ");
    const wanted = selector.replace(":scope > ", "");
    const below = (element) => element.children.flatMap((child) => [child, ...(direct ? [] : below(child))]);
    return below(this).filter((element) => element.matches(wanted));
  }

  querySelector(selector) {
    return this.querySelectorAll(selector)[0] ?? null;
  }

  contains(other) {
    for (let at = other; at; at = at.parentNode) if (at === this) return true;
    return false;
  }

  getBoundingClientRect() {
    return { left: 0, top: 0, right: this.clientWidth, bottom: this.clientHeight, width: this.clientWidth, height: this.clientHeight };
  }

  getRootNode() {
    return document;
  }

  getContext() {
    return (this.pen ??= new Pen());
  }

  toDataURL() {
    return "data:,";
  }

  focus() {
    document.activeElement = this;
    this.hear("focus");
  }

  click() {
    this.hear("click");
  }

  scrollIntoView() {
    this.inView = true;
  }

  toggleAttribute(name, on) {
    if (on) this.setAttribute(name, "");
    else delete this.attributes[name];
  }
}

// One compound selector: a tag, classes and attributes.
function fits(element, selector) {
  const [tag] = selector.match(/^[a-z][\w-]*/i) ?? [];
  const classes = [...selector.replace(/\[.*?\]/g, "").matchAll(/\.([\w-]+)/g)].map(([, name]) => name);
  const attributes = [...selector.matchAll(/\[([\w-]+)(?:([*^]?)="?([^"\]]*)"?)?\]/g)];
  const has = ([, name, how, wanted]) => {
    const value = name.startsWith("data-") ? element.dataset[camel(name.slice(5))] : element.attributes[name];
    if (wanted === undefined || value === undefined) return value !== undefined;
    return how === "*" ? value.includes(wanted) : how === "^" ? value.startsWith(wanted) : String(value) === wanted;
  };
  return (!tag || element.localName === tag) && classes.every((name) => element.classes.includes(name)) && attributes.every(has);
}

// The elements and words of an HTML text.
function parsed(html) {
  const root = new Element("root");
  let at = root;
  for (const [, close, tag, inside, single, words] of html.matchAll(/<(\/?)([\w-]+)((?:\s+[\w-]+(?:="[^"]*")?)*)\s*(\/?)>|([^<]+)/g)) {
    if (words !== undefined) {
      if (words.trim()) at.append(words.replace(/&lt;/g, "<").replace(/&amp;/g, "&"));
    } else if (close) at = at.parentNode;
    else {
      const found = [...inside.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name, value = ""]) => [name, value]);
      const element = new Element(tag, Object.fromEntries(found));
      at.append(element);
      if (!single && !VOID.has(tag)) at = element;
    }
  }
  return root.childNodes;
}

// What was drawn on a canvas, as [name, ...arguments] with the colours of the time.
class Pen {
  drawn = [];

  measureText(text) {
    return { width: 7 * text.length };
  }

  getTransform() {
    return { a: 1 };
  }

  createImageData(width, height) {
    return { data: new Uint8ClampedArray(4 * width * height) };
  }
}
for (const name of [
  "beginPath", "moveTo", "lineTo", "bezierCurveTo", "stroke", "fill", "fillText", "fillRect", "strokeRect", "roundRect", "clearRect",
  "setTransform", "putImageData", "drawImage", "save", "restore", "translate", "rotate", "clip", "scale",
])
  Pen.prototype[name] = function (...given) {
    this.drawn.push([name, ...given, { fill: this.fillStyle, stroke: this.strokeStyle, wide: this.lineWidth }]);
  };

export function element(html) {
  return parsed(html.trim())[0];
}

class PageDocument extends Events {
  hidden = false;
  activeElement = null;
  styleSheets = [];
  documentElement = new Element("html");
  body = new Element("body");
  head = new Element("head");

  createElement(tag) {
    return new Element(tag);
  }

  querySelector(selector) {
    return this.body.querySelector(selector);
  }

  querySelectorAll(selector) {
    return this.body.querySelectorAll(selector);
  }
}

Object.assign(globalThis, {
  window: globalThis,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
  document: new PageDocument(),
  location: { hash: "", pathname: "/", search: "", origin: "http://page", href: "http://page/" },
  innerWidth: 1200,
  innerHeight: 900,
  matchMedia: () => ({ matches: false }),
  getComputedStyle: (host) => ({ fontFamily: "sans-serif", getPropertyValue: () => host.paper ?? "" }),
  requestAnimationFrame: (act) => setTimeout(act),
  cancelAnimationFrame: clearTimeout,
  ResizeObserver: class {
    observe() {}
    disconnect() {}
  },
  Option: class extends Element {
    constructor(words, value = words, _byDefault = false, selected = false) {
      super("option");
      Object.assign(this, { textContent: String(words), value: String(value), selected });
    }
  },
  ImageData: class {
    constructor(width, height) {
      Object.assign(this, { width, height, data: new Uint8ClampedArray(4 * width * height) });
    }
  },
});

export const soon = (milliseconds = 5) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Until something is so, on a machine of any speed.
export async function until(isSo, atMost = 10_000) {
  for (const began = Date.now(); !isSo() && Date.now() - began < atMost; ) await soon();
}
