"""The network as a diagram that a person steps through and changes numbers in; the browser draws it.

Its script computes both passes by itself, so that an edit is answered at once, and then tells the page, which answers
with autograd's numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import asdict
from itertools import pairwise
from typing import Any, TypeAlias

import streamlit as st

from goldviz.arrays.labelled import Run
from goldviz.figures.theme import INKS
from goldviz.labs.backpropagation_steps import LAB
from goldviz.labs.backpropagation_steps.network import drawn, sizes
from goldviz.labs.backpropagation_steps.settings import LONGEST, MOST, BackpropagationSteps, parsed
from goldviz.models.feedforward.activations import ACTIVATIONS, IDENTITY
from goldviz.syntax_trees import syntax_tree
from goldviz.ui.components import component
from goldviz.ui.theme import theme_now

FormulaTree: TypeAlias = "float | str | list[FormulaTree]"
"""A number, the name of one, or an operation with what it is done to."""

SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.Gt: ">"}


def formula_tree(text: str) -> FormulaTree:
    """An activation's formula as a tree, which the browser computes and prints without reading text as a program.

    >>> formula_tree("z if z > 0 else 0.1 * z")
    ['if', ['>', 'z', 0], 'z', ['*', 0.1, 'z']]
    """
    return _tree(syntax_tree(text, "eval").body)


def _tree(node: ast.expr) -> FormulaTree:
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name):
            return name
        case ast.UnaryOp(ast.USub(), part):
            return ["negative", _tree(part)]
        case ast.BinOp(left, sign, right) | ast.Compare(left, [sign], [right]) if type(sign) in SIGNS:
            return [SIGNS[type(sign)], _tree(left), _tree(right)]
        case ast.IfExp(condition, here, elsewhere):
            return ["if", _tree(condition), _tree(here), _tree(elsewhere)]
        case ast.Call(ast.Name(id=name), arguments):
            return [name, *map(_tree, arguments)]
    raise ValueError(f"{ast.unparse(node)!r} is no part of an activation's formula that the browser can compute.")


def network_data(settings: BackpropagationSteps) -> dict[str, Any]:
    """The network before anybody changed a number, and what it is held to."""
    network = drawn(settings)
    words = ACTIVATIONS[settings.activation].words
    return {
        "weights": [weight.tolist() for weight in network.weights],
        "biases": [bias.tolist() for bias in network.biases],
        "inputs": network.inputs.tolist(),
        "targets": network.targets.tolist(),
        "activations": [
            {
                "words": "" if phi is IDENTITY else words,
                "formula": formula_tree(phi.formula),
                "slope": formula_tree(phi.slope),
            }
            for phi in network.activations
        ],
        "loss": settings.loss,
        "penalty": settings.penalty,
        "rate": settings.learning_rate,
    }


def autograd_data(settings: BackpropagationSteps, ds: Run) -> dict[str, Any]:
    """Autograd's gradients of the network with these edits, as nested lists without what is beyond a layer."""
    names = ("arriving", "delta", "weight_gradient", "bias_gradient")
    arriving, delta, weights, biases = (ds[f"{name}_autograd"].values for name in names)
    sides = list(enumerate(pairwise(sizes(settings))))
    return {
        "edits": settings.edits,
        "arriving": [arriving[layer, :, :after].tolist() for layer, (_, after) in sides],
        "delta": [delta[layer, :, :after].tolist() for layer, (_, after) in sides],
        "weights": [weights[layer, :after, :before].tolist() for layer, (before, after) in sides],
        "biases": [biases[layer, :after].tolist() for layer, (_, after) in sides],
    }


KEY = "network-diagram"

_component = component("network", LAB.package, isolated=True)


def network_diagram(settings: BackpropagationSteps, ds: Run, keep: Callable[[str, str | int], None]) -> None:
    """Show the network; ``keep`` hears of the ``edits`` and the ``step`` of the visitor before the page runs again."""
    data = {
        "network": network_data(settings),
        "edits": settings.edits,
        "autograd": autograd_data(settings, ds),
        "step": settings.step,
        "theme": theme_now(),
        "inks": {name: asdict(ink) for name, ink in INKS.items()},
    }

    def pass_on_edits() -> None:
        edits = told(st.session_state[KEY].get("edits"))
        if edits is not None:
            keep("edits", edits)

    def pass_on_step() -> None:
        step = told_step(st.session_state[KEY].get("step"))
        if step is not None:
            keep("step", step)

    _component(data=data, key=KEY, on_edits_change=pass_on_edits, on_step_change=pass_on_step)


def told_step(message: Any) -> int | None:
    """The step that the browser tells; None for anything else, whoever wrote it."""
    step = message.get("to") if isinstance(message, Mapping) else None
    return step if isinstance(step, int) and not isinstance(step, bool) and 0 <= step <= MOST else None


def told(message: Any) -> str | None:
    """The changed numbers that the browser tells; None for anything else, whoever wrote it."""
    text = message.get("text") if isinstance(message, Mapping) else None
    if not isinstance(text, str) or len(text) > LONGEST:
        return None
    try:
        parsed(text)
    except ValueError:
        return None
    return text
