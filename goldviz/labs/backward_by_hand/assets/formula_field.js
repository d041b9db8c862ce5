// A field for a formula that the server judges while it is typed.

import { sized } from "../../../ui/assets/canvas.js";
import { answerOf, latest } from "../../../ui/assets/latest.js";

const ROW = 16;
const MORE = [213, 94, 0];
const LESS = [14, 122, 192];
const SIGNS = { equal: "✓", differs: "≠", shape: "▭", unread: "✕" };

// A cell's colour: orange for more, blue for less, as strong as it is large; what is no number has a colour of its own.
export function colourOf(value, most) {
  if (value === null) return "#838383";
  const [red, green, blue] = value > 0 ? MORE : LESS;
  return `rgba(${red}, ${green}, ${blue}, ${most ? (Math.abs(value) / most).toFixed(3) : 0})`;
}

// What a row or a column of a matrix is of; of three axes, the last two stand side by side.
export function placeNames(dims, labels) {
  const of = (dim) => labels[dim] ?? [""];
  const [rows, ...others] = dims;
  const columns = others.reduce((all, dim) => all.flatMap((one) => of(dim).map((two) => `${one} ${two}`.trim())), [""]);
  return { rows: of(rows), columns };
}

export const largest = (rows) => rows.flat().reduce((most, value) => Math.max(most, Math.abs(value ?? 0)), 0);

function drawWrong(canvas, rows) {
  const most = largest(rows);
  const columns = rows[0].length;
  const width = canvas.parentElement.clientWidth;
  const context = sized(canvas, width, rows.length * ROW);
  // The figure may become narrower without being drawn anew.
  canvas.style.width = "100%";
  const wide = width / columns;
  rows.forEach((row, y) =>
    row.forEach((value, x) => {
      context.fillStyle = colourOf(value, most);
      context.fillRect(x * wide, y * ROW, wide - 1, ROW - 1);
      context.strokeStyle = "rgba(131, 131, 131, 0.35)";
      context.strokeRect(x * wide + 0.5, y * ROW + 0.5, wide - 1, ROW - 1);
    }),
  );
}

function remembered(key, value) {
  try {
    if (value !== undefined) sessionStorage.setItem(`goldviz-formula-${key}`, value);
    return sessionStorage.getItem(`goldviz-formula-${key}`) ?? "";
  } catch {
    return value ?? "";
  }
}

function build(root) {
  const part = (selector) => root.querySelector(selector);
  const [choice, typed, verdict, figure] = ["select", "input", ".formula-verdict", "figure"].map(part);
  const canvas = part("canvas");
  const caption = part("figcaption");
  const field = { data: undefined, rows: undefined };
  const gradient = () => field.data.gradients.find((one) => one.name === choice.value);

  const show = (found) => {
    verdict.hidden = !found;
    figure.hidden = !found?.wrong;
    field.rows = found?.wrong;
    if (!found) return;
    verdict.dataset.kind = found.kind;
    verdict.textContent = `${SIGNS[found.kind] ?? ""} ${found.words}`;
    if (found.wrong) drawWrong(canvas, found.wrong);
    caption.textContent = "Where yours is more than autograd's (orange) or less (blue). Point at a cell.";
  };
  const refuse = ({ message }) => show({ kind: "unread", words: message, wrong: null });
  const ask = latest(async (text) => {
    const { asked, formula, settings } = JSON.parse(text);
    if (!formula.trim()) return undefined;
    return answerOf(field.data.address, JSON.parse(settings), { asked, formula });
  }, show, refuse);
  const judge = () => ask(JSON.stringify({ asked: choice.value, formula: typed.value, settings: field.data.settings }));

  const choose = () => {
    const one = gradient();
    remembered("asked", one.name);
    part(".formula-name").textContent = `d${one.name} =`;
    part(".formula-hint").textContent = one.hint;
    part("code").textContent = `d${one.name} = ${one.formula}`;
    part("details").open = false;
    typed.value = remembered(one.name);
    judge();
  };
  choice.addEventListener("change", choose);
  typed.addEventListener("input", () => {
    remembered(choice.value, typed.value);
    judge();
  });
  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    const y = Math.min(field.rows.length - 1, Math.floor((event.clientY - box.top) / ROW));
    const x = Math.min(field.rows[0].length - 1, Math.floor(((event.clientX - box.left) / box.width) * field.rows[0].length));
    const { rows, columns } = placeNames(gradient().dims, field.data.labels);
    const value = field.rows[y]?.[x];
    const where = [rows[y], columns[x]].filter(Boolean).join(", ");
    caption.textContent = `${where}: yours less autograd's is ${value === null ? "no number" : value?.toPrecision(4)}`;
  };
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("pointerdown", point);

  field.take = (data) => {
    const first = !field.data;
    const same = !first && field.data.settings === data.settings;
    field.data = data;
    if (first) {
      choice.replaceChildren(...data.gradients.map(({ name }) => new Option(`d${name}`, name)));
      typed.maxLength = data.longest;
      choice.value = remembered("asked") || data.first;
      if (!choice.value) choice.value = data.first;
      choose();
    } else if (!same) {
      part(".formula-hint").textContent = gradient().hint;
      part("code").textContent = `d${gradient().name} = ${gradient().formula}`;
      judge();
    }
  };
  return field;
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".formula");
  root.goldvizField ??= build(root);
  root.goldvizField.take(data);
}
