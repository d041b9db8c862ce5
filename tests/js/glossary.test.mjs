import assert from "node:assert/strict";
import { test } from "node:test";
import { finder, firstUses } from "../../goldviz/ui/assets/glossary.js";

const terms = [
  { slug: "gradient", forms: ["gradient", "gradients"] },
  { slug: "vanishing-gradient", forms: ["vanishing gradient", "gradient vanishes"] },
  { slug: "ode-rnn", forms: ["ODE-RNN"] },
];
const found = (text, marked = new Set()) => firstUses(text, finder(terms), marked).map(({ at, form }) => [at, form]);

test("the first use of each term is found, longer forms first, in any case", () => {
  assert.deepEqual(found("A vanishing gradient: Gradients shrink, gradients go. The ODE-RNN's."), [
    [2, "vanishing gradient"],
    [22, "Gradients"],
    [58, "ODE-RNN"],
  ]);
  assert.deepEqual(found("The gradient vanishes."), [[4, "gradient vanishes"]]);
});

test("parts of words are no terms, and what is marked is not marked again", () => {
  assert.deepEqual(found("gradient-based, subgradient, gradient_norm, ODE-RNNs"), []);
  assert.deepEqual(found("gradients of gradients", new Set(["gradient"])), []);
});
