"""What an experiment declares: its settings, what it records, its presets and what it concludes.

An experiment is one frozen pydantic model. Its fields are the settings; class attributes say the rest.
The page's controls, the link, the command line, the stored JSON and the help texts are all read off it.
"""

from __future__ import annotations

import json
import operator
import sys
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, GetPydanticSchema, ValidationError, model_validator

from goldviz.arrays.readings import Coordinate, Scale
from goldviz.attribute_docstrings import attribute_docstrings
from goldviz.data.tables.sealed_names import NAME_OF_FILE
from goldviz.declare.kinds import KINDS, by_kind, checked_kind
from goldviz.declare.plain_values import plain
from goldviz.declare.time_of_training import UNMEASURED_SECONDS, Costs, costs_in
from goldviz.diagnostics.by_kind import ByKind

Device = Literal["auto", "cpu", "cuda", "mps"]
COUNTED = ("steps", "epochs", "look_every", "histogram_every", "close_looks")
"""Settings that say how often something is done, not how long it takes; others end like them."""


def setting(
    default: Any,
    *,
    group: str,
    description: str = "",
    unit: str = "",
    essential: bool = False,
    hot: bool = False,
    logarithmic: bool = False,
    labels: Mapping[str, str] | None = None,
    one_of: Mapping[str, str] | None = None,
    allowed: str = "",
    control: str = "",
    **bounds: Any,
) -> Any:
    """A pydantic field with what a control needs to know about it.

    What it means is said in a docstring below it, or in ``description``, which a docstring overrides::

        depth: int = setting(15, ge=1, le=100, group="Network", unit="layers")
        '''Hidden layers after the input layer.'''

    ``group`` names the heading under *More settings*; ``essential`` settings are in sight at once; ``hot`` ones
    may change while a run goes on; ``logarithmic`` asks for a control in powers of ten; ``labels`` gives the
    words for each choice, and ``one_of`` allows no other text than those that it has words for; ``allowed`` says what
    a text may be where its bounds do not; ``control`` names a part of the page that sets it in place of a knob.
    ``bounds`` (``ge``, ``le``, ``gt``, ``lt``, ``pattern``) go to pydantic.
    """
    extra: dict[str, Any] = {
        "group": group,
        "unit": unit,
        "essential": essential,
        "hot": hot,
        "logarithmic": logarithmic,
        "labels": dict(one_of or labels or {}),
        "allowed": allowed,
        "control": control,
    }
    field = Field(default, description=description or None, json_schema_extra=extra, validate_default=True, **bounds)
    if one_of:
        # No type checker could read a Literal of a table's names where the setting is declared.
        choices = operator.getitem(Literal, tuple(one_of))
        field.metadata.append(GetPydanticSchema(lambda _, handler: handler.generate_schema(choices)))
    return field


def _distinct(seeds: tuple[int, ...]) -> tuple[int, ...]:
    if len(set(seeds)) != len(seeds):
        raise ValueError("every seed may be named once")
    return seeds


Seeds = Annotated[
    tuple[Annotated[int, Field(ge=0, le=999_999)], ...], Field(min_length=1, max_length=10), AfterValidator(_distinct)
]


@dataclass(frozen=True)
class Variable:
    """A recorded quantity: its dimensions in order, and the words and unit that figures put on it.

    The first dimension grows with the run unless ``once`` is true, as it is of every kind without steps. A variable
    that ``must_stay_finite`` ends the run as *diverged* as soon as one of its values is NaN or infinite. One of a
    ``kind`` of :data:`goldviz.declare.kinds.KINDS` gets the figures and rules that need that kind. ``label`` is what
    figures and cards call it in few words, ``format`` how its numbers are written, as d3 says it, and ``scale`` how an
    axis of it runs. Raises :class:`goldviz.declare.kinds.KindError` for a kind that is none.
    """

    dims: tuple[str, ...]
    long_name: str
    units: str = "1"
    once: bool = False
    must_stay_finite: bool = False
    kind: str = ""
    label: str = ""
    format: str = ".3~g"
    scale: Scale = "linear"

    def __post_init__(self) -> None:
        checked_kind(self.kind, f"The variable {self.long_name!r}")
        if self.kind and "step" not in KINDS[self.kind].roles:
            object.__setattr__(self, "once", True)


@dataclass(frozen=True)
class Preset:
    """A named set of settings: what it changes from the defaults, and what one sees there.

    One that breaks something, or mends it, says so in its name: "Break it: sigmoid", "Fix it: orthogonal". Links and
    scripts of earlier versions may call it by the slug that it had then, ``formerly``. Where the page's first figure
    does not show what it says, ``figure`` names the one that stands first in its place.
    """

    name: str
    words: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    formerly: str = ""
    figure: str = ""

    @property
    def slug(self) -> str:
        """The preset's name in a link or a file name.

        >>> Preset("Break it: sigmoid", "").slug
        'break-it-sigmoid'
        """
        return "-".join("".join(c if c.isalnum() else " " for c in self.name.lower()).split())


@dataclass(frozen=True)
class About:
    """How a laboratory is called in links and the shell, and how it introduces itself.

    The navigation lists it under ``section``, its chapter, by its ``rank``: the lowest number comes first. Pages of its
    chapter call it ``room``, where its title is long. The question on its ``door``, if it has one, leads to it from the
    home page. The search finds it by these words and by what people have ``sought``.
    """

    name: str
    title: str
    _: KW_ONLY
    question: str
    icon: str
    section: str = "Laboratories"
    rank: int = 1000
    room: str = ""
    door: str = ""
    sought: str = ""


class SettingsError(ValueError):
    """Settings that are not allowed, in one sentence for each: the setting, its value, what is allowed."""

    def __init__(self, sentences: Mapping[str, str]) -> None:
        self.sentences = dict(sentences)
        super().__init__(" ".join(self.sentences.values()))


class Settings(BaseModel):
    """Base of all that declares settings made with :func:`setting`: a name, a question, presets, and validation."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, protected_namespaces=())

    about: ClassVar[About]
    name: ClassVar[str]
    title: ClassVar[str]
    question: ClassVar[str]
    icon: ClassVar[str]
    section: ClassVar[str]
    rank: ClassVar[int]
    room: ClassVar[str]
    door: ClassVar[str]
    sought: ClassVar[str]
    presets: ClassVar[tuple[Preset, ...]]
    kept_by_presets: ClassVar[tuple[str, ...]] = ()
    """Settings that choosing a preset leaves as they are, such as the data."""
    version: ClassVar[int] = 1
    """Grows by one whenever a setting is renamed, goes, means something else, or has another default."""
    former_defaults: ClassVar[Mapping[int, Mapping[str, Any]]] = {}
    """Version -> the defaults of that version that are others today: a link names only what differed from them."""
    retired: ClassVar[Mapping[str, str]] = {}
    """Settings that are gone, each with a sentence for a link or a call that names it; a kept run goes without them."""

    @classmethod
    def __pydantic_init_subclass__(cls, **config: Any) -> None:
        """What ``about`` says can be asked of the class itself."""
        if "about" in vars(cls):
            for part, value in vars(cls.about).items():
                setattr(cls, part, value)

    @model_validator(mode="before")
    @classmethod
    def _plain_values(cls, values: Any) -> Any:
        """A notebook's numbers are often numpy's, which pydantic takes for none."""
        return {name: plain(value) for name, value in values.items()} if isinstance(values, Mapping) else values

    @classmethod
    def upgrade(cls, version: int, values: dict[str, Any]) -> dict[str, Any]:
        """Values as an earlier ``version`` named and meant them, turned into today's.

        ``values`` may be some of the settings only: those of a link, whose values are text, or those that were
        changed during a run. A laboratory that raises its ``version`` says here what became of the settings before.
        """
        return values

    @classmethod
    def from_store(cls, version: int, text: str) -> Self:
        """Settings from the JSON that was kept under a version of theirs.

        Raises :class:`SettingsError` with one sentence that names the settings that are not understood any more.
        """
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            values = None
        if not isinstance(values, dict):
            raise SettingsError({"settings": f"The settings of this run of {cls.name} are not valid JSON."})
        return cls._understood(version, values)[1]

    @classmethod
    def upgraded(cls, version: int, values: Mapping[str, Any]) -> dict[str, Any]:
        """These values under today's names; raises :class:`SettingsError` where that cannot be done."""
        if version > cls.version:
            sentence = f"Settings of version {version} of {cls.name} come from a later goldviz; update goldviz."
            raise SettingsError({"version": sentence})
        if version < 1:
            raise SettingsError({"version": "versions begin with 1."})
        if version == cls.version:
            return dict(values)
        try:
            return cls.upgrade(version, dict(values))
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            sentence = f"Settings of version {version} of {cls.name} cannot be turned into those of today: {error}."
            raise SettingsError({"version": sentence}) from None

    @classmethod
    def _understood(cls, version: int, values: Mapping[str, Any]) -> tuple[dict[str, Any], Self]:
        """Today's names of kept values, and the settings that they make; raises as :meth:`from_store` does."""
        try:
            upgraded = cls.upgraded(version, values)
            today = {name: value for name, value in upgraded.items() if name not in cls.retired}
            return today, cls.checked(today)
        except SettingsError as error:
            reasons = "; ".join(sentence.removesuffix(".") for sentence in error.sentences.values())
            sentence = (
                f"The settings of this run (version {version} of {cls.name}; today's is {cls.version}) "
                f"are not understood: {reasons}."
            )
            raise SettingsError({"settings": sentence}) from None

    @classmethod
    def checked(cls, values: Mapping[str, Any]) -> Self:
        """Settings from untrusted values (a link, a file, a form); raises :class:`SettingsError`."""
        try:
            return cls.model_validate(dict(values))
        except ValidationError as error:
            raise SettingsError(sentences(cls, error)) from None

    @classmethod
    def checked_json(cls, text: str) -> Self:
        """Settings from their stored JSON; raises :class:`SettingsError`."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            raise SettingsError(sentences(cls, error)) from None

    @classmethod
    def preset(cls, slug: str) -> Self:
        """The settings of the preset with this slug."""
        return cls(**cls.preset_called(slug).changes)

    @classmethod
    def preset_called(cls, slug: str) -> Preset:
        """The preset that has this slug, or had it in an earlier version; raises :class:`SettingsError` without one."""
        if one := next((one for one in cls.presets if slug and slug in (one.slug, one.formerly)), None):
            return one
        slugs = ", ".join(candidate.slug for candidate in cls.presets)
        raise SettingsError({"preset": f"There is no preset {_shown(slug)}; there are {slugs}."})

    def changed(self, **changes: Any) -> Self:
        """A validated copy with other values; raises :class:`SettingsError`."""
        return type(self).checked({**self.model_dump(), **changes})

    def like_preset(self) -> Preset | None:
        """The preset that these settings are, whatever they have for what presets leave alone."""
        beside = {name: getattr(self, name) for name in self.beside_presets()}
        # A preset need not be allowed beside a small file: this only compares.
        likes = (preset for preset in self.presets if self.preset(preset.slug).model_copy(update=beside) == self)
        return next(likes, None)

    def beside_presets(self) -> list[str]:
        """Settings that presets leave alone: those declared so, and those that name a file that somebody brought."""
        kind = type(self)
        files = [
            name
            for name, value in self
            if facts(kind, name)["control"] and "pattern" in schemas(kind)[name] and NAME_OF_FILE.fullmatch(str(value))
        ]
        return list(dict.fromkeys([*self.kept_by_presets, *files]))

    def without_effect(self) -> Mapping[str, str]:
        """Settings that change nothing while the others are as they are, each with the reason in a sentence."""
        return {}

    def has_effect(self, name: str) -> bool:
        """Whether a setting changes anything while the others are as they are: one that does not refuses nothing."""
        return name not in self.without_effect()

    def differences(self) -> dict[str, Any]:
        """The settings that differ from their defaults, as plain JSON values."""
        default = type(self)().model_dump(mode="json")
        return {name: value for name, value in self.model_dump(mode="json").items() if value != default[name]}


class Experiment(Settings):
    """Base of all experiments: the settings that every one has, and the attributes that each must give."""

    step: ClassVar[str]
    """The dimension that grows by one with every turn of ``record.steps``: ``step`` where a setting ``steps`` says how
    many, and else ``epoch``, unless the experiment names it."""
    variables: ClassVar[Mapping[str, Variable]]
    coordinates: ClassVar[Mapping[str, Coordinate]] = {}
    """What places along the variables' dimensions are called, where the dimension's own name does not say it."""
    variables_by_kind: ClassVar[ByKind]
    """The same by their kinds, for the figures and measures that several laboratories share."""
    smaller: ClassVar[tuple[str, ...]] = ()
    """Settings that make a run need less memory when they are made smaller, the first to try first."""
    equations: ClassVar[tuple[str, ...]] = ()
    """The equations behind the experiment, in words, with their places in the documents; a report closes with them."""

    seeds: Seeds = setting((0,), group="Run", essential=True)
    """Random seeds. Several give every curve a band."""
    device: Device = setting("cpu", group="Run")
    """Where the networks are trained. 'auto' takes a GPU if there is one."""
    time_limit: float = setting(600.0, ge=1, le=86_400, unit="s", group="Run")
    """The run is stopped after this many seconds of training."""

    @classmethod
    def __pydantic_init_subclass__(cls, **config: Any) -> None:
        super().__pydantic_init_subclass__(**config)
        if "variables" in vars(cls):
            cls.variables_by_kind = by_kind(cls.variables)
        if not hasattr(cls, "step"):
            cls.step = "step" if "steps" in cls.model_fields else "epoch"

    @classmethod
    def hot_settings(cls) -> tuple[str, ...]:
        """The settings that may change while a run goes on."""
        return tuple(name for name in cls.model_fields if facts(cls, name)["hot"])

    @classmethod
    def changes_from_store(cls, version: int, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Hot settings that were changed during a kept run, under today's names; raises as :meth:`from_store` does."""
        return cls._understood(version, changes)[0]

    def steps_planned(self) -> int:
        """How many steps a full run takes: what the setting ``steps`` or ``epochs`` says, unless a run is more."""
        count = getattr(self, f"{self.step}s", None)
        if not isinstance(count, int):
            raise TypeError(f"{type(self).__name__} declares no number of steps")
        return count

    def counts(self) -> dict[str, float]:
        """How often a run does each thing that is timed by itself: steps, under their setting's name, and looks."""
        every, steps = getattr(self, "look_every", 0), self.steps_planned()
        looks = 1 + steps // every if every else 0
        return {f"{self.step}s": steps, "look": looks, "close_look": min(getattr(self, "close_looks", 0), steps)}

    def sizes(self) -> dict[str, float]:
        """What the time of a step may grow with, by name: settings that are whole numbers and have an effect.

        A laboratory adds what they do not say, such as the time steps of a task's sequences.
        """
        idle = self.without_effect()
        return {name: float(getattr(self, name)) for name in _sizes_of(type(self)) if name not in idle}

    def learners(self) -> int:
        """Networks of a seed that learn beside each other and take about as long."""
        return 1

    def choices(self) -> frozenset[str]:
        """What is chosen among a few, as ``network=gru``."""
        return frozenset(f"{name}={getattr(self, name)}" for name in _choices_of(type(self)))

    def estimated_seconds(self) -> float:
        """About how long a run takes on one CPU thread of the machine on which costs were measured.

        :mod:`goldviz.declare.time_of_training` says how that is known.
        """
        if (costs := measured_costs(type(self))) is None:
            return UNMEASURED_SECONDS * len(self.seeds) * max(1, self.steps_planned())
        return costs.seconds(self.counts(), self.sizes(), self.choices(), len(self.seeds) * self.learners())

    def estimated_bytes(self) -> float:
        """About how much memory a run takes beside what its process has anyway; 0 where nothing is known of it."""
        return 0.0

    def hot_values(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Hot settings, checked; raises :class:`SettingsError` for others and for values that are not allowed."""
        hot = self.hot_settings()
        for name in values:
            if name not in hot:
                raise SettingsError({name: f"{label(name)} cannot change while a run goes on; {', '.join(hot)} can."})
        new = self.changed(**values)
        return {name: getattr(new, name) for name in values}


@cache
def measured_costs(settings: type[Experiment]) -> Costs | None:
    """What runs of a laboratory were measured to cost; None where none were, as of a class that stands in none."""
    file = sys.modules[settings.__module__].__file__
    return costs_in(Path(file).parent / "recorded" / "costs.json") if file else None


@cache
def _sizes_of(settings: type[Experiment]) -> tuple[str, ...]:
    """Settings that are whole numbers, without those that say how often or how a run is looked at, and seeds."""
    own = schemas(settings)
    return tuple(
        name
        for name in own
        if own[name].get("type") == "integer" and not name.endswith(("_seed", *COUNTED)) and name not in COUNTED
    )


@cache
def _choices_of(settings: type[Experiment]) -> tuple[str, ...]:
    own = schemas(settings)
    return tuple(
        name for name in own if name != "device" and ("enum" in own[name] or own[name].get("type") == "boolean")
    )


def facts(settings: type[Settings], name: str) -> dict[str, Any]:
    """What :func:`setting` noted about one setting."""
    extra = settings.model_fields[name].json_schema_extra
    if not isinstance(extra, dict):
        raise TypeError(f"{settings.__name__}.{name} was not declared with setting()")
    return dict(extra)


def label(name: str) -> str:
    """A setting's name as a person reads it.

    >>> label("residual_scale")
    'Residual scale'
    """
    return name.replace("_", " ").capitalize()


def either(words: Iterable[str]) -> str:
    """One of these, in words.

    >>> either([".nc", ".csv", ".py"])
    '.nc, .csv or .py'
    """
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def description(settings: type[Settings], name: str) -> str:
    """What a setting means: the docstring below it, or else what :func:`setting` was told."""
    docstrings = attribute_docstrings(settings, Settings)
    return docstrings.get(name) or settings.model_fields[name].description or ""


@cache
def schemas(settings: type[Settings]) -> Mapping[str, Mapping[str, Any]]:
    """The JSON schema of every setting, by its name. Pages ask for it dozens of times, so it is made once."""
    properties: dict[str, dict[str, Any]] = settings.model_json_schema()["properties"]
    return {name: {**schema, "description": description(settings, name)} for name, schema in properties.items()}


def allowed(settings: type[Settings], name: str) -> str:
    """What a setting may be, in words: 'a whole number from 1 to 100', 'one of relu, tanh'."""
    schema = schemas(settings)[name]
    if schema["allowed"]:
        return str(schema["allowed"])
    if schema.get("type") == "array":
        return _allowed_list(schema)
    return _allowed_scalar(schema)


def _allowed_scalar(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(str(choice) for choice in schema["enum"])
    if schema.get("type") == "boolean":
        return "true or false"
    if schema["type"] == "string":
        longest = schema.get("maxLength")
        return "a text" if longest is None else f"a text of {schema.get('minLength', 0)} to {longest} characters"
    kind = {"integer": "a whole number", "number": "a number"}[schema["type"]]
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    start = f"from {_number(low)}" if low is not None else f"above {_number(above)}" if above is not None else ""
    end = f"to {_number(high)}" if high is not None else f"below {_number(below)}" if below is not None else ""
    return " ".join(part for part in (kind, start, end) if part)


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:g}"


def _allowed_list(schema: Mapping[str, Any]) -> str:
    least, most = schema.get("minItems", 0), schema.get("maxItems")
    return f"a list of {least} to {most} different values, each {_allowed_scalar(schema['items'])}"


def sentences(settings: type[Settings], error: ValidationError) -> dict[str, str]:
    """One sentence for each setting that pydantic refused."""
    words: dict[str, str] = {}
    for detail in error.errors(include_url=False):
        name = str(detail["loc"][0]) if detail["loc"] else ""
        if detail["type"] == "json_invalid":
            return {"": "These settings are not valid JSON."}
        if detail["type"] == "extra_forbidden":
            words[name] = settings.retired.get(name, f"{settings.name} has no setting {_shown(name)}.")
        elif name in settings.model_fields:
            value = detail["input"]
            words.setdefault(name, f"{label(name)} is {_shown(value)}; allowed is {allowed(settings, name)}.")
        else:
            words[name] = f"{detail['msg'].removeprefix('Value error, ')}."
    return words


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
