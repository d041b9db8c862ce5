// Runs in every page: a press on a button is a click, even where the page is drawn anew or moves between the way down and
// the way up. A browser then sees two elements and tells neither, and the click is lost.

// A pointer that went further wanted no click.
const FAR = 8;
// So long a click may come after the way up: at once by a mouse, later by a finger.
const COMES_MS = { mouse: 50, touch: 400 };

// What a button is known by when it stands there anew: the class that Streamlit makes of its key.
function keyOf(target) {
  const place = target.closest?.(".stButton button")?.closest('.stElementContainer[class*="st-key-"]');
  return place && [...place.classList].find((name) => name.startsWith("st-key-"));
}

export function keepClicks(page, wait = setTimeout) {
  let press;
  const hear = (type, listener) => page.addEventListener(type, listener, { capture: true, passive: true });
  hear("pointerdown", ({ target, isPrimary, button, clientX, clientY }) => {
    const key = isPrimary && button === 0 ? keyOf(target) : undefined;
    press = key && { key, clientX, clientY };
  });
  hear("pointercancel", () => (press = undefined));
  hear("click", ({ target }) => {
    if (press && keyOf(target) === press.key) press = undefined;
  });
  hear("pointerup", ({ clientX, clientY, pointerType }) => {
    const { key } = press ?? {};
    if (!key || Math.hypot(clientX - press.clientX, clientY - press.clientY) > FAR) return;
    const pressed = press;
    wait(() => {
      if (press !== pressed) return;
      press = undefined;
      page.querySelector(`.${CSS.escape(key)} button`)?.click();
    }, COMES_MS[pointerType] ?? COMES_MS.touch);
  });
}
