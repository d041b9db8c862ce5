"""Diagrams of networks: what a run recorded of layers, gates and blocks stands in the nodes, all of it and no more."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
import xarray as xr

from goldviz.figures.reading import growing
from goldviz.figures.spec import FigureSpec
from tests.labs.small_runs import SMALL, Small, small_run
from tests.thinned import represented


def spec_of(small: Small) -> FigureSpec | None:
    return next((spec for spec in small.lab.figures().FIGURES.values() if spec.canvas), None)


DRAWN = [small for small in SMALL if spec_of(small)]
EVERY_DIAGRAM = pytest.mark.parametrize("small", represented(DRAWN), ids=str)


def diagram_of(spec: FigureSpec, run: xr.Dataset, **view: Any) -> dict[str, Any] | None:
    return (spec.draw(run, **view).layout.get("meta") or {}).get("diagram")


def numbers_by_place(diagram: Mapping[str, Any], colour: Mapping[str, Any], dims: tuple[str, ...]) -> Iterator[float]:
    """The numbers of the nodes that stand along these dimensions."""
    nodes = [node for part in diagram["parts"] for node in part["nodes"]]
    for node, value in zip(nodes, np.asarray(colour["values"]).tolist(), strict=True):
        if set(dims) <= node[7].keys():
            yield value


@EVERY_DIAGRAM
def test_every_recorded_place_of_a_network_stands_in_its_diagram_with_its_number(small: Small) -> None:
    run, spec = small_run(small.settings()), spec_of(small)
    assert spec is not None
    diagram = diagram_of(spec, run)
    if diagram is None:
        assert not all(name in run for name in spec.needs)
        return
    as_recorded = {one.name for one in small.lab.part("figures").COLOURS if not one.readings}
    for colour in diagram["colours"]:
        if colour["name"] not in as_recorded:
            continue
        values = run[colour["name"]]
        last = values.isel({growing(values): -1}) if growing(values) else values
        last = last.median("seed") if "seed" in last.dims else last
        dims = tuple(str(dim) for dim in last.dims if dim != "network")
        recorded = np.sort(last.values[~np.isnan(last.values)].astype(np.float32))
        shown = np.array(list(numbers_by_place(diagram, colour, dims)), np.float32)
        assert np.sort(shown[~np.isnan(shown)]) == pytest.approx(recorded), colour["name"]


@EVERY_DIAGRAM
def test_wires_join_nodes_and_every_network_of_the_run_is_there(small: Small) -> None:
    run, spec = small_run(small.settings()), spec_of(small)
    assert spec is not None
    diagram = diagram_of(spec, run)
    if diagram is None:
        return
    assert len(diagram["parts"]) == run.sizes.get("network", 1)
    for part in diagram["parts"]:
        nodes = part["nodes"]
        assert all(0 <= end < len(nodes) for wire in part["wires"] for end in wire[:2])
        assert all(node[2] >= 0 and node[3] >= 0 and node[4] > 0 and node[5] > 0 for node in nodes)
        places = [tuple(sorted(node[7].items())) for node in nodes if node[7]]
        assert len(set(places)) == len(places)
