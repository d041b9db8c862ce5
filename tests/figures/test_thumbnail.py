import re
import xml.etree.ElementTree as ET

import numpy as np

from goldviz.figures.thumbnail import Curve, polyline_svg

SVG = "{http://www.w3.org/2000/svg}"


def test_gaps_lift_the_pen_and_labels_are_escaped():
    svg = polyline_svg([Curve("<b>", [1.0, 2.0, np.nan, 1.0, np.inf], "#d55e00")], label="a < b")
    root = ET.fromstring(svg)
    assert list(root.iter(f"{SVG}path"))[1].get("d").count("M") == 2
    assert root.get("aria-label") == "a < b"


def test_names_do_not_cover_each_other():
    svg = polyline_svg([Curve(str(i), [0.0, 1.0], "#d55e00") for i in range(4)], label="four")
    heights = sorted(float(text.get("y")) for text in ET.fromstring(svg).iter(f"{SVG}text"))
    assert min(np.diff(heights)) >= 16


def test_a_name_in_capitals_ends_within_the_picture():
    svg = polyline_svg([Curve("ODE-RNN", [0.0, 1.0], "#d55e00")], label="one")
    [text] = ET.fromstring(svg).iter(f"{SVG}text")
    # A capital of a sans-serif is at most about 0.75 of its height wide.
    assert float(text.get("x")) + 7 * 0.75 * 14 <= 320


def test_a_name_ends_within_the_picture_in_a_wide_font_too():
    """DejaVu Sans, the usual font of Linux, takes 69.9 pixels for it at a size of 14."""
    picture = ET.fromstring(polyline_svg([Curve("measured", [1.0, 2.0], "#000000")], label="x"))
    [text] = picture.iter(f"{SVG}text")
    assert float(text.get("x")) + 69.9 <= 320


def test_axes_are_named_above_and_below_the_picture_where_it_shows_something():
    curve = Curve("a", [1.0, 2.0], "#000")
    picture = ET.fromstring(polyline_svg([curve], label="x", axes=("step", "loss < 1")))
    _, top, _, height = map(float, picture.get("viewBox").split())
    names = {text.text: text for text in picture.iter(f"{SVG}text")}
    assert top + 13 * 0.75 <= float(names["loss < 1"].get("y")) <= 0
    assert 160 + 13 * 0.75 - 1 <= float(names["step"].get("y")) <= top + height
    assert not list(ET.fromstring(polyline_svg([], label="x", axes=("step", "loss"))).iter(f"{SVG}text"))


def test_curves_reach_from_the_lower_edge_to_the_upper_one():
    svg = polyline_svg([Curve("a", np.array([2.0, 3.0, 6.0]), "#000")], label="A line.", width=320, height=160)
    [path] = re.findall(r'd="(M[^"HV]*)" fill="none" stroke="#000"', svg)
    heights = [float(y) for _, y in re.findall(r"([\d.]+)[ ,]([\d.]+)", path)]
    # Two edges of 14 pixels, and 8 between the lowest value and the axis.
    assert heights == [138.0, 107.0, 14.0]
