"""Any valid settings of an experiment, made from its declaration."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from goldviz.declare.settings import Experiment, SettingsError


def any_settings(experiment: type[Experiment]) -> st.SearchStrategy[Experiment]:
    """Every value that the declared bounds allow can come up."""
    schema = experiment.model_json_schema()["properties"]
    values = {name: _values(schema[name]) for name in experiment.model_fields}
    chosen = st.fixed_dictionaries({}, optional=values)
    return chosen.filter(lambda values: allowed_together(experiment, values)).map(experiment.checked)


def allowed_together(experiment: type[Experiment], values: Mapping[str, Any]) -> bool:
    """Whether settings that are allowed one by one are so in company."""
    try:
        experiment.checked(values)
    except SettingsError:
        return False
    return True


def _values(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema["type"] == "boolean":
        return st.booleans()
    if schema["type"] == "array":
        items = _values(schema["items"])
        return st.lists(items, min_size=schema["minItems"], max_size=schema["maxItems"], unique=True).map(tuple)
    if schema["type"] == "integer":
        return st.integers(schema["minimum"], schema["maximum"])
    # As many digits as a person writes: a slider cannot tell 2 from 1.9999999999999982.
    written = st.floats(schema["minimum"], schema["maximum"]).map(lambda value: float(f"{value:.6g}"))
    return written.filter(lambda value: schema["minimum"] <= value <= schema["maximum"])
