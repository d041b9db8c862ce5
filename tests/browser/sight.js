// What a person could press on a page, and what is in sight of it; an expression, given to every document of a walk.
(() => {
  // No control of the page's own: Plotly's and Streamlit's tools, a number's two arrows, what only hovering asks for.
  const TOOLS = [
    ".modebar, .hoverlayer, [data-testid=stMainMenu], [data-testid=stElementToolbar], label [data-testid=stTooltipIcon]",
    "[data-testid=stNumberInputStepUp], [data-testid=stNumberInputStepDown], [role=tooltip]",
    "[data-testid=stSelectbox] button, [data-testid=stMultiSelect] button, [data-testid=stDateInput] button, [aria-hidden=true]:not(svg, canvas)",
    "[data-testid=stTooltipContent], [data-testid=stStatusWidget], .goldviz-unseen, style, script, #goldviz-first-view",
  ].join();
  const WAITS = ".goldviz-wait, [data-testid=stSpinner], .goldviz-figure-waiting, [data-testid=stSkeleton]";
  const MARKED = ".goldviz-term";
  const CONTROLS = "button:not(.goldviz-term), summary, select, [role=tab], [role=combobox], label:has(> input, > * > input)";
  const SCROLLERS = ".stApp, .stMain, .stMainBlockContainer";

  function* shown(root) {
    for (const one of root.children) {
      if (one.matches(TOOLS)) continue;
      // What has no box of its own is not seen, and its children are.
      if (one.checkVisibility({ visibilityProperty: true, opacityProperty: true })) yield one;
      else if (getComputedStyle(one).display !== "contents") continue;
      if (one.shadowRoot) yield* shown(one.shadowRoot);
      if (!one.matches("svg, canvas")) yield* shown(one);
    }
  }

  const upward = (one) => one.parentElement ?? one.getRootNode().host;
  const within = (one, selector) => Boolean(one && (one.closest(selector) || within(one.getRootNode().host, selector)));
  const hash = (text) => {
    let sum = 0;
    for (let at = 0; at < text.length; at++) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0;
    return sum;
  };
  const drawn = (one) => {
    if (one.matches("canvas")) {
      try {
        return hash(one.toDataURL());
      } catch {
        return "a canvas of another origin";
      }
    }
    // Names inside of a drawing are made anew with it.
    return hash(one.outerHTML.replace(/ (class|id|clip-path|data-[\w-]+|aria-[\w-]+)="[^"]*"|url\([^)]*\)/g, ""));
  };
  const STATES = ["aria-expanded", "aria-checked", "aria-pressed", "aria-selected", "aria-valuenow", "open"];

  // What is in sight, or all that the page has, one line for each word, value and drawing.
  function look(everything = false) {
    const lines = [];
    for (const one of shown(document.body)) {
      if (one.matches(WAITS) || within(one, WAITS)) continue;
      // A figure is drawn when it comes near the window, and its i comes with it.
      if (everything && one.matches(".goldviz-info > summary")) continue;
      const box = one.getBoundingClientRect();
      const seen = box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
      if (!everything && !seen) continue;
      // A word that the glossary marks belongs to its sentence.
      const words = [...one.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE || node.matches?.(MARKED));
      const said = words.map((node) => node.textContent).join("").trim();
      if (said && box.width > 1 && box.height > 1 && !one.matches(MARKED)) lines.push(said);
      if (one.matches("input, textarea, select")) lines.push(`${one.ariaLabel ?? ""}=${one.type === "checkbox" ? one.checked : one.value}`);
      const states = STATES.filter((name) => one.hasAttribute(name)).map((name) => `${name}=${one.getAttribute(name)}`);
      if (states.length) lines.push(`${nameOf(one)} ${states.join(" ")}`);
      if (!everything && one.matches("svg, canvas")) lines.push(`drawing ${Math.round(box.width)} x ${Math.round(box.height)} ${drawn(one)}`);
      if (!everything && one.matches("img")) lines.push(`picture ${one.src}`);
    }
    return lines;
  }

  // The words of a wait that names itself.
  function waits() {
    const busy = [...shown(document.body)].filter((one) => one.matches(WAITS)).map((one) => one.textContent.trim());
    return busy.filter(Boolean);
  }

  function nameOf(one) {
    const named = one.ariaLabel || (one.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => one.getRootNode().getElementById?.(id)?.textContent ?? "").join(" ").trim();
    if (named) return named;
    const copy = one.querySelector("p") ?? one;
    const silent = [...copy.querySelectorAll("[aria-hidden=true], [data-testid=stIconMaterial]")].map((part) => part.innerText);
    const said = silent.reduce((words, part) => words.replace(part, ""), copy.innerText ?? "");
    return (said.trim() || one.title || one.className?.toString() || one.tagName).split("\n")[0].slice(0, 80);
  }

  function kindOf(one) {
    if (one.matches("[role=combobox], select")) return "select";
    if (one.matches("[role=tab], [role=radio]")) return "tab";
    if (one.matches("summary")) return "expander";
    if (one.matches("label")) return one.querySelector("input[type=checkbox]") ? "tick" : "radio";
    return one.hasAttribute("aria-haspopup") || one.hasAttribute("aria-expanded") ? "opener" : "button";
  }

  // What can do nothing: it is switched off, or it is the choice that was made.
  const isLast = (one) => one.disabled || one.matches("[role=group] [aria-pressed=true]") || one.getAttribute("aria-disabled") === "true" || one.querySelector?.(":scope input:disabled") ||
    (one.matches("[role=radio], [role=tab]") && [one.ariaChecked, one.ariaSelected].includes("true")) ||
    (one.matches("label") && !one.querySelector("input[type=checkbox], input[type=radio]:not(:checked)"));

  function found() {
    const seen = new Map();
    const list = [];
    for (const one of shown(document.body)) {
      const { width, height } = one.getBoundingClientRect();
      if (!one.matches(CONTROLS) || isLast(one) || width <= 1 || height <= 1) continue;
      if (one.matches("button") && within(upward(one), "label, [role=combobox]")) continue;
      const [kind, name] = [kindOf(one), nameOf(one)];
      const nth = seen.get(`${kind} ${name}`) ?? 0;
      seen.set(`${kind} ${name}`, nth + 1);
      const place = ["header", ".st-key-strip", ".st-key-knobs", ".st-key-closer-look", "[role=dialog]"].find((area) => within(one, area)) ?? "";
      list.push({ one, kind, name, nth, place });
    }
    return list;
  }

  // Where the page is scrolled to; what comes into sight by scrolling was there before.
  const scrolled = (to) => {
    const main = document.querySelector(".stMain") ?? document.documentElement;
    if (to !== undefined) main.scrollTop = to;
    return main.scrollTop;
  };

  window.goldvizSight = {
    look,
    scrolled,
    waits,
    controls: () => found().map(({ kind, name, nth, place }) => ({ kind, name, nth, place })),
    find: (kind, name, nth) => found().find((it) => it.kind === kind && it.name === name && it.nth === nth)?.one ?? null,
    // What is wider than the window, by how much.
    wider: () => {
      const wide = [];
      for (const one of [document.documentElement, ...document.querySelectorAll(SCROLLERS)]) {
        const more = one.scrollWidth - innerWidth;
        if (more > 0) wide.push(`${one.className?.split?.(" ")[0] || "the page"} by ${more} px`);
      }
      for (const one of document.querySelectorAll("[role=dialog], [data-baseweb=popover], .goldviz-wait, [role=listbox]")) {
        const { left, right, width } = one.getBoundingClientRect();
        if (width && (left < -1 || right > innerWidth + 1)) wide.push(`${one.role || one.dataset.baseweb} from ${Math.round(left)} to ${Math.round(right)} px`);
      }
      return wide;
    },
    // Who reaches over the right edge, for a report.
    culprits: () => [...shown(document.body)].filter((one) => one.getBoundingClientRect().right > innerWidth + 1).slice(-4)
      .map((one) => `${one.tagName.toLowerCase()}.${String(one.className?.baseVal ?? one.className).slice(0, 60)}`),
  };
})();
