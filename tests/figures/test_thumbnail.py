import xml.etree.ElementTree as ET

import numpy as np

from goldviz.figures.theme import NETWORKS
from goldviz.figures.thumbnail import Curve, gradient_by_layer_svg, polyline_svg

SVG = "{http://www.w3.org/2000/svg}"


def test_thumbnail_is_wellformed_with_a_curve_for_each_network(run):
    root = ET.fromstring(gradient_by_layer_svg(run))
    strokes = [path.get("stroke") for path in root.iter(f"{SVG}path")]
    assert strokes == ["currentColor", NETWORKS["plain"].colour, NETWORKS["residual"].colour]
    assert [text.text for text in root.iter(f"{SVG}text")] == ["plain", "residual"]
    assert len(gradient_by_layer_svg(run)) < 3000


def test_higher_values_stand_higher(run):
    root = ET.fromstring(gradient_by_layer_svg(run))
    plain = list(root.iter(f"{SVG}path"))[1].get("d")
    heights = [float(point.split()[1]) for point in plain.replace("M", "L").split("L")[1:]]
    assert heights == sorted(heights, reverse=True)


def test_gaps_lift_the_pen_and_labels_are_escaped():
    svg = polyline_svg([Curve("<b>", [1.0, 2.0, np.nan, 1.0, np.inf], "#d55e00")], label="a < b")
    root = ET.fromstring(svg)
    assert list(root.iter(f"{SVG}path"))[1].get("d").count("M") == 2
    assert root.get("aria-label") == "a < b"


def test_names_do_not_cover_each_other():
    svg = polyline_svg([Curve(str(i), [0.0, 1.0], "#d55e00") for i in range(4)], label="four")
    heights = sorted(float(text.get("y")) for text in ET.fromstring(svg).iter(f"{SVG}text"))
    assert min(np.diff(heights)) >= 16


def test_nothing_recorded_gives_an_empty_picture(build_run):
    for run in (build_run().isel(epoch=slice(0, 0)), build_run().drop_vars("gradient_norm"), build_run() * np.nan):
        assert not list(ET.fromstring(gradient_by_layer_svg(run)).iter(f"{SVG}text"))
