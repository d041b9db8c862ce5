import assert from "node:assert/strict";
import { test } from "node:test";
import { readNumbersAsTyped, typed } from "../../goldviz/ui/assets/typed_numbers.js";

test("a comma is a decimal point, and digits are left to the browser", () => {
  for (const text of [",", ".", "\u066b"]) assert.deepEqual(typed(text, "0", false), { put: "." });
  assert.deepEqual(typed("0,75", "", false), { put: "0.75" });
  assert.deepEqual(typed("-1,5e-3 ", "", false), { put: "-1.5e-3" });
  for (const text of ["1", "-", "1e3", ""]) assert.equal(typed(text, "", false), undefined);
});

test("a whole number has no point, and no number has signs between thousands", () => {
  for (const text of [".", ",", "1.000", "1,000", "1 000", "1'000"]) assert.match(typed(text, "1", true).refused, /digits alone/);
  for (const [text, value] of [[",", "1.000"], ["1.000,5", ""], ["1 000", ""], ["1,000,000", ""]]) {
    assert.match(typed(text, value, false).refused, /One decimal point/);
  }
});

// A page with one field, which says what is put in.
function field(step) {
  const heard = {};
  const input = {
    tagName: "INPUT", type: "number", step, value: "", validationMessage: "", reported: 0,
    get validity() { return { customError: input.validationMessage !== "" }; },
    setCustomValidity: (words) => (input.validationMessage = words),
    reportValidity: () => (input.reported += 1),
  };
  const page = {
    addEventListener: (type, hear) => (heard[type] = hear),
    execCommand: (_command, _shown, text) => (input.value += text),
    getSelection: () => page.marked,
    marked: "",
  };
  readNumbersAsTyped(page);
  const type = (data, inputType = "insertText") => {
    let prevented = false;
    heard.beforeinput({ target: input, data, inputType, preventDefault: () => (prevented = true) });
    if (!prevented && data) input.value += data;
  };
  const mark = (text) => (page.marked = text);
  return { input, type, mark, leave: () => heard.focusout({ target: input }) };
}

test("a refusal is said until something is deleted or the field is left", () => {
  const { input, type, leave } = field("1");
  for (const sign of "1.000") type(sign);
  assert.equal(input.value, "1000");
  assert.match(input.validationMessage, /whole number/);
  assert.equal(input.reported, 4);
  type(null, "deleteContentBackward");
  assert.equal(input.validationMessage, "");
  type(",");
  leave();
  assert.equal(input.validationMessage, "");
});

test("a decimal number that is put in place of what is marked is taken", () => {
  const { input, type, mark } = field("0.0005");
  input.value = "0.001";
  mark("0.001");
  type("0.005");
  assert.equal(input.validationMessage, "");
  mark("words elsewhere");
  type(".5");
  assert.match(input.validationMessage, /One decimal point/);
});

test("a field of a decimal number takes a comma as it is meant, once", () => {
  const { input, type } = field("0.01");
  for (const sign of "0,5") type(sign);
  assert.equal(input.value, "0.5");
  type(",");
  assert.equal(input.value, "0.5");
  assert.match(input.validationMessage, /One decimal point/);
});
