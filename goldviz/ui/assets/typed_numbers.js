// Runs in every page: a number is read as it was typed, or refused in words. A browser drops signs that it does not
// know, so that "0,5" was 5 and "1.000" steps were 1.

const WHOLE = "A whole number: digits alone.";
const ONE_POINT = "One decimal point, and no separators of thousands.";

// What stays of a field's value where the text that is marked in it goes. A field of a number tells its marks to nobody,
// but what is marked on the page is it where the field has the focus.
export function unmarked(value, marked) {
  return marked ? value.replace(marked, "") : value;
}

// What is put in where `text` is typed beside `value`: a number's text, or why it is refused; undefined for what the
// browser may do as it does.
export function typed(text, value, whole) {
  if (!/[.,\u066b\u2019' ]/.test(text)) return undefined;
  if (whole) return { refused: WHOLE };
  const signs = text.match(/[.,\u066b]/g) ?? [];
  if (signs.length !== 1 || /[.]/.test(value) || /[\u2019' ]/.test(text.trim())) return { refused: ONE_POINT };
  return { put: text.trim().replace(/[,\u066b]/, ".") };
}

// What was refused stays said until something is deleted or the field is left.
export function readNumbersAsTyped(page) {
  const say = (input, words) => {
    input.setCustomValidity(words);
    if (words) input.reportValidity();
  };
  const ofNumber = (input) => input?.tagName === "INPUT" && input.type === "number";
  page.addEventListener(
    "beforeinput",
    (event) => {
      const input = event.target;
      if (!ofNumber(input)) return;
      if (event.inputType?.startsWith("delete")) return say(input, "");
      const text = event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
      const stays = unmarked(input.value, page.getSelection()?.toString());
      const read = typed(text, stays, Number.isInteger(Number(input.step || "any")));
      if (read) event.preventDefault();
      if (read?.put) page.execCommand("insertText", false, read.put);
      say(input, read?.refused ?? (input.validity.customError ? input.validationMessage : ""));
    },
    { capture: true },
  );
  page.addEventListener("focusout", ({ target }) => ofNumber(target) && say(target, ""));
}
