"""Kinds of recorded quantities, and roles of dimensions: what shared figures, rules and measures attach to.

A :class:`~goldviz.declare.settings.Variable` says its kind where it has one of this closed list. A dataset that no
laboratory made says it in the attribute ``kind`` of its variables; see :func:`understood`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from goldviz.diagnostics.by_kind import ByKind

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class Kind:
    """What is recorded, in words, and the roles of its dimensions beside ``network`` and ``seed``, in their order."""

    words: str
    roles: tuple[str, ...] = ("step",)


KINDS: Mapping[str, Kind] = {
    "training_loss": Kind("loss on what a step learns from"),
    "evaluated_training_loss": Kind("loss on what is learned from, measured as the evaluation loss is"),
    "evaluation_loss": Kind("loss on what is not learned from, while training goes on"),
    "test_loss": Kind("loss on what is not learned from, after training", ()),
    "baseline_loss": Kind("loss of an answer that needs no network, on what the loss is of", ()),
    "training_loss_by_fit": Kind("loss on what a step of one of several fits learns from", ("step", "fit")),
    "evaluation_loss_by_fit": Kind("loss of one of several fits on what it does not learn from", ("step", "fit")),
    "accuracy": Kind("share of right answers"),
    "learning_rate": Kind("learning rate of a step"),
    "headroom": Kind("how many times larger the learning rate could be"),
    "gradient_norm": Kind("norm of the whole gradient before clipping"),
    "clipped_gradient_norm": Kind("norm of the whole gradient after clipping"),
    "clipped": Kind("share of steps whose gradient was clipped"),
    "gradient_norm_by_layer": Kind("norm of a layer's weight gradient", ("step", "layer")),
    "hidden_gradient_norm_by_layer": Kind("norm of the gradient of a layer's output", ("step", "layer")),
    "update_to_data_by_layer": Kind("spread of a step over spread of the weights", ("step", "layer")),
    "gradient_to_data_by_layer": Kind("spread of the gradient over spread of the weights", ("step", "layer")),
    "activation_mean": Kind("mean of a layer's activations", ("step", "layer")),
    "activation_std": Kind("standard deviation of a layer's activations", ("step", "layer")),
    "saturation": Kind("share of activations on a flat part of the nonlinearity", ("step", "layer")),
    "dead_units": Kind("share of units that no sample activates", ("step", "layer")),
    "activation_histogram": Kind("share of activations per bin", ("step", "layer", "value_bin")),
    "gradient_histogram": Kind("share of entries of dL/dh per bin", ("step", "layer", "magnitude_bin")),
    "weight_gradient_histogram": Kind("share of entries of dL/dW per bin", ("step", "layer", "magnitude_bin")),
    "state_gradient_norm": Kind("norm of dL/dh along a sequence", ("step", "lag")),
    "gate_product": Kind("what gates alone leave of a state on its way to the last one", ("step", "lag")),
    "attention_map": Kind("attention weights of a probe", ("step", "layer", "head", "query", "key")),
    "attention_entropy": Kind("entropy of a head's attention in bits, mean over queries", ("step", "layer", "head")),
    "largest_logit": Kind("largest logit of a head's attention", ("step", "layer", "head")),
    "parameter_count": Kind("number of parameters", ()),
}

ROLES: Mapping[str, str] = {
    "step": "a step of training, or one at which something was looked at",
    "fit": "one of several fits of a network, each to a part of the data",
    "layer": "a layer, block or part of the network",
    "lag": "a place along a sequence",
    "head": "an attention head",
    "query": "the token that looks",
    "key": "the token that is looked at",
    "value_bin": "a bin of signed values, by its centre",
    "magnitude_bin": "a bin of magnitudes, by its centre; the first is of what is zero or nearly so",
    "network": "one of several networks that are trained beside each other",
    "seed": "a random seed",
}

STEPS = ("epoch", "step", "look", "close_look", "histogram_epoch")
"""Dimensions of the role ``step``, as laboratories call them."""

NO_KINDS = (
    "No variable of the dataset says its kind. Give each that is of one an attribute, such as "
    'ds.loss.attrs["kind"] = "training_loss"; there are '
)


class KindError(ValueError):
    """A kind or role that is not understood, in one sentence: the variable, what it says, what is allowed."""

    for_a_person = True


def checked_kind(kind: str, what: str) -> str:
    """The kind, or none; raises :class:`KindError` for one that is not of the list."""
    if kind and kind not in KINDS:
        raise KindError(f"{what} is of the kind {kind!r}; allowed is {', '.join(KINDS)}.")
    return kind


class Described(Protocol):
    """What is read of a variable's declaration."""

    @property
    def kind(self) -> str:
        """One of the list; empty for a laboratory's own."""

    @property
    def dims(self) -> tuple[str, ...]:
        """Its dimensions, in order."""

    @property
    def label(self) -> str:
        """What it is in a few words, where its long name is longer."""

    @property
    def long_name(self) -> str:
        """What it is."""


def by_kind(variables: Mapping[str, Described]) -> ByKind:
    """The declared variables of a laboratory by their kind."""
    return ByKind(
        {name: variable.kind for name, variable in variables.items() if variable.kind},
        {name: variable.dims for name, variable in variables.items()},
        {name: variable.label or variable.long_name for name, variable in variables.items()},
    )


def roles_of(variables: Mapping[str, Described]) -> dict[str, str]:
    """The role of each dimension that has one, as kinds and names tell it."""
    return {
        dim: role
        for name, variable in variables.items()
        for dim, role in _roles(name, variable.kind, variable.dims, {}).items()
    }


def with_kinds(dataset: xr.Dataset, variables: Mapping[str, Described]) -> xr.Dataset:
    """A run with the kinds and roles that its laboratory declares, which runs of before do not carry."""
    for name, variable in variables.items():
        if variable.kind and name in dataset:
            dataset[name].attrs["kind"] = variable.kind
    dataset.attrs["roles"] = json.dumps(roles_of(variables))
    return dataset


class Understood(NamedTuple):
    """A dataset under the dimensions that figures know, and its variables by their kind."""

    dataset: xr.Dataset
    kinds: ByKind


def understood(dataset: xr.Dataset) -> Understood:
    """A dataset of anybody's whose variables say their ``kind`` in an attribute.

    Dimensions may have any name: those called ``step``, ``epoch``, ``network`` and ``seed`` have that role, others take
    theirs from ``dataset.attrs["roles"]`` (a mapping, or JSON), from an attribute ``role`` of their coordinate, or from
    the kind of the variable. One network and one seed need no dimension. Raises :class:`KindError` where nothing says
    its kind, or a kind or role is not of the list.
    """
    kinds = {
        str(name): checked_kind(str(one.attrs["kind"]), f"The variable {name!r}")
        for name, one in dataset.data_vars.items()
        if one.attrs.get("kind")
    }
    if not kinds:
        raise KindError(f"{NO_KINDS}{', '.join(KINDS)}.")
    own = _told_roles(dataset)
    roles: dict[str, str] = {}
    for name, kind in kinds.items():
        roles.update(_roles(name, kind, tuple(map(str, dataset[name].dims)), own))
    plain = _in_known_dimensions(dataset[list(kinds)], kinds, roles)
    labels = {name: str(plain[name].attrs.get("long_name", name)) for name in kinds}
    return Understood(plain, ByKind(kinds, {name: tuple(map(str, plain[name].dims)) for name in kinds}, labels))


def _told_roles(dataset: xr.Dataset) -> dict[str, str]:
    """What the dataset itself says of its dimensions' roles."""
    attribute: Any = dataset.attrs.get("roles", {})
    attribute = json.loads(attribute) if isinstance(attribute, str) else attribute
    if not isinstance(attribute, Mapping):
        raise KindError(f"The attribute 'roles' is {attribute!r}; allowed is a mapping from dimensions to roles.")
    own = {str(dim): one.attrs["role"] for dim, one in dataset.coords.items() if "role" in one.attrs}
    roles = {str(dim): str(role) for dim, role in {**attribute, **own}.items()}
    for dim, role in roles.items():
        if role not in ROLES:
            raise KindError(f"The dimension {dim!r} has the role {role!r}; allowed is {', '.join(ROLES)}.")
    return roles


def _roles(name: str, kind: str, dims: tuple[str, ...], own: Mapping[str, str]) -> dict[str, str]:
    """The role of each dimension of a variable: told, by its name, or the next one that its kind has."""
    usual = dict.fromkeys(STEPS, "step") | {role: role for role in ROLES}
    roles = {dim: own.get(dim, usual.get(dim, "")) for dim in dims}
    if not kind:
        return {dim: role for dim, role in roles.items() if role}
    missing = [role for role in KINDS[kind].roles if role not in roles.values()]
    for dim in [dim for dim, role in roles.items() if not role]:
        if not missing:
            raise KindError(
                f"The variable {name!r} is of the kind {kind!r} and has the dimension {dim!r}, whose role nobody "
                f"told; allowed are the roles {', '.join((*KINDS[kind].roles, 'network', 'seed'))}."
            )
        roles[dim] = missing.pop(0)
    if missing:
        raise KindError(
            f"The variable {name!r} is of the kind {kind!r} and has no dimension for {' and '.join(missing)}; "
            f"its dimensions are {', '.join(dims) or 'none'}."
        )
    return roles


MEASURED_SELDOM = ("look", "close_look", "histogram_epoch")
"""What steps are called at which something is measured, beside those of training."""

OF_NO_NETWORK = ("baseline_loss", "learning_rate", "attention_map")
"""Kinds that figures read without networks and seeds."""


def _in_known_dimensions(dataset: xr.Dataset, kinds: Mapping[str, str], roles: Mapping[str, str]) -> xr.Dataset:
    """The dataset with its dimensions called as figures know them, step first, with networks, seeds and labels."""
    names = {dim: role for dim, role in roles.items() if role not in ("step", "layer", "lag")}
    steps = sorted((dim for dim, role in roles.items() if role == "step"), key=lambda dim: -dataset.sizes[dim])
    free = iter(one for one in MEASURED_SELDOM if one not in steps)
    for place, dim in enumerate(steps):
        usual = ("epoch", "step") if place == 0 else MEASURED_SELDOM
        names[dim] = dim if dim in usual else "step" if place == 0 else next(free, "")
    for new in set(names.values()):
        of_it = [repr(dim) for dim, name in names.items() if name == new]
        if len(of_it) > 1 or not new:
            words = f"the role {roles[of_it[0].strip(chr(39))]!r}" if new else "the role 'step', which four may have"
            raise KindError(f"The dimensions {' and '.join(of_it)} have {words}; allowed is one dimension for it.")
    with_labels = dataset.assign_coords(
        {dim: range(1, dataset.sizes[dim] + 1) for dim in dataset.dims if dim not in dataset.coords}
    )
    plain = with_labels.rename({dim: name for dim, name in names.items() if dim != name})
    defaults = {"network": plain.coords.get("network", [str(dataset.attrs.get("title") or "network")])}
    defaults["seed"] = plain.coords.get("seed", [0])
    arrays = {}
    for name, kind in kinds.items():
        array = plain[name]
        missing = [] if kind in OF_NO_NETWORK else [dim for dim in defaults if dim not in array.dims]
        arrays[name] = array.expand_dims({dim: defaults[dim] for dim in missing})
        first = [dim for dim in STEPS if dim in array.dims]
        arrays[name] = arrays[name].transpose(*first, ...) if first else arrays[name]
    return type(dataset)(
        arrays, attrs={**dataset.attrs, "step_dimension": names.get(steps[0], "step") if steps else "step"}
    )
