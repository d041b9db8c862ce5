// A figure's toolbar is one stop of the keyboard: arrow keys, Home and End go from tool to tool.

const TOOL_KEYS = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
};

// Which tool a key leads to, or undefined where the key means nothing to a toolbar.
export function toolAfter(key, at, count) {
  return TOOL_KEYS[key]?.(at, count);
}

function onlyStop(tools, chosen) {
  tools.forEach((tool) => (tool.tabIndex = tool === chosen ? 0 : -1));
}

// Plotly makes the buttons anew whenever their choice changes, so this is done after every draw.
export function oneStop(host) {
  const bar = host.querySelector(".modebar");
  if (!bar) return;
  const tools = () => [...bar.querySelectorAll(".modebar-btn")];
  onlyStop(tools(), tools().find((tool) => tool.tabIndex === 0 && tool === document.activeElement) ?? tools()[0]);
  if (bar.ariaLabel) return;
  bar.ariaLabel = "Tools of this figure";
  bar.addEventListener("keydown", (event) => {
    const at = tools().indexOf(event.target.closest(".modebar-btn"));
    const next = at < 0 ? undefined : toolAfter(event.key, at, tools().length);
    if (next === undefined) return;
    onlyStop(tools(), tools()[next]);
    tools()[next].focus();
    event.preventDefault();
    event.stopPropagation();
  });
}
