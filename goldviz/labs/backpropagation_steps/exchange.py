"""What the page sends its script: the network with its formulas, and autograd's gradients with a person's edits."""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import Any, TypeAlias

from goldviz.arrays.labelled import Run
from goldviz.labs.backpropagation_steps.network import drawn, sizes
from goldviz.labs.backpropagation_steps.settings import BackpropagationSteps
from goldviz.models.feedforward.activations import ACTIVATIONS, IDENTITY
from goldviz.syntax_trees import syntax_tree

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
