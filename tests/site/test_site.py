"""A site: its pages, what they lead to, and that it is there whole or not at all."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import xarray as xr

from goldviz.cli.command import main
from goldviz.declare.errata import errata
from goldviz.declare.registry import laboratories
from goldviz.declare.stories import Guess, Step, Story, stories
from goldviz.extras import MissingExtraError
from goldviz.runs.examples import example
from goldviz.site import build, figures
from goldviz.site.build import NoSiteFolderError, planned
from goldviz.site.figures import ROOM, preset_page, preset_path, presets_of, step_page, step_path, story_steps
from goldviz.site.lists import errata_page, start_page
from goldviz.site.shell import SHARED, WAYS, SitePage
from tests.export.report_parts import ODD_RUNS, figure_texts, lanes_in
from tests.runs.test_strangers import small_disk

LENS, DEPTH = laboratories()["jacobian-lens"], laboratories()["depth-gradients"]
Makers = list[Callable[[], SitePage]]


def few() -> Makers:
    """A view, a recorded run, and a step with a guess."""
    return [
        partial(preset_page, LENS, LENS.declared.presets[0]),
        partial(preset_page, DEPTH, DEPTH.declared.presets[0]),
        partial(step_page, "deep-plain", 1),
    ]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sites") / "site"
    assert build.build(folder, few) == []
    return folder


def leads_on(folder: Path, known: set[str]) -> int:
    """How many links the pages in a folder have, all of them to those that are ``known`` or to files that are there."""
    count = 0
    for file in folder.rglob("*.html"):
        for target in re.findall(r'(?:href|src)="([^"]*)"', file.read_text(encoding="utf-8")):
            path = (file.parent / target.partition("#")[0]).resolve().relative_to(folder.resolve()).as_posix()
            assert path in known or (folder / path).is_file(), target
            count += 1
    return count


def everywhere() -> set[str]:
    """Where all pages of a whole site lie."""
    presets = {preset_path(lab, preset) for lab in laboratories().values() for preset in presets_of(lab)}
    return presets | {step_path(*step) for step in story_steps()} | {*WAYS, "server.html"}


def test_every_link_leads_to_a_page_of_the_site_and_none_out_of_it(site: Path) -> None:
    known = everywhere()
    assert leads_on(site, known) > len(known)


def test_the_start_opens_with_the_doors_and_a_page_has_the_rooms_of_its_chapter() -> None:
    start = start_page([]).html
    doors = [lab.declared.door for lab in laboratories().values() if lab.declared.door]
    assert [start.index(html.escape(door)) for door in doors] == sorted(
        start.index(html.escape(door)) for door in doors
    )
    assert start.index(html.escape(doors[-1])) < start.index("<h2>")
    [row] = re.findall(r"<p class=rooms>(.*?)</p>", preset_page(LENS, LENS.declared.presets[0]).html)
    for lab in laboratories().values():
        assert (html.escape(lab.declared.room or lab.declared.title) in row) == (
            lab.declared.section == LENS.declared.section
        )


def test_the_search_leads_to_each_erratum_by_its_words() -> None:
    start, page = start_page([]).html, errata_page().html
    for number, one in enumerate(errata(), 1):
        entry = re.search(rf'data-words="([^"]*)"><a href="errata.html#erratum-{number}">', start)
        assert entry
        assert html.escape(one.holds.casefold()) in entry[1]
        assert f"<tr id=erratum-{number}>" in page


def test_a_guess_on_an_instant_page_is_answered_from_what_it_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    preset = LENS.declared.presets[0].slug
    guess = Guess("How many words?", ("none", "some"), lambda ds: (1, f"{len(ds.data_vars)} numbers."))
    steps = (Step("See.", (preset,), guess=guess), *(Step("See.", (preset,)) for _ in range(4)))
    monkeypatch.setattr(figures, "stories", lambda: {"lens": (LENS.name, Story("lens", "Lens", "look.", steps))})
    monkeypatch.setattr(figures, "place", lambda *_: LENS.name)
    page = step_page("lens", 1)
    assert page.asks
    assert 'data-right="1"' in page.html
    assert re.search(r"\b[1-9]\d* numbers\.", page.html)


@pytest.mark.slow
def test_a_figure_whose_numbers_are_of_one_position_moves_along_all_of_them() -> None:
    lab = laboratories()["residual-flow"]
    page = preset_page(lab, lab.declared.presets[1]).html
    (lane,) = lanes_in(page)
    assert len(lane["steps"]["position"]["labels"]) > 20
    for name in ("carried", "distance"):
        assert lane["figures"][name]["kept"], name


def test_a_whole_site_has_every_recorded_run_every_view_and_every_step() -> None:
    assert len(planned()) == len(everywhere()) - len(WAYS) - 1
    assert set(story_steps()) == {
        (slug, n) for slug, (_, story) in stories().items() for n in range(1, len(story.steps) + 1)
    }
    assert [lab.name for lab in laboratories().values() if not presets_of(lab)] == []


@pytest.mark.slow
def test_a_whole_site_is_below_sixty_megabytes_and_each_page_with_its_files_below_three(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    left_out = build.build(folder)
    assert [sentence for sentence in left_out if "goldviz[" not in sentence] == []
    whole = json.loads((folder / "site.json").read_text(encoding="utf-8"))
    pages = {path: (folder / path).stat().st_size for path in whole["files"] if path.endswith(".html")}
    assert left_out or set(pages) == everywhere()
    shared = sum((folder / name).stat().st_size for name in SHARED)
    assert whole["bytes"] == shared + sum(pages.values())
    assert whole["bytes"] < 60_000_000
    assert shared + max(pages.values()) < 3_000_000
    assert leads_on(folder, everywhere() if left_out else set()) > len(pages)


@pytest.mark.slow
@pytest.mark.parametrize(("changed", "said", "last"), ODD_RUNS)
def test_a_run_that_has_nothing_no_number_or_too_much_has_its_page(
    changed: Callable[[xr.Dataset], xr.Dataset], said: str, last: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = changed(example(DEPTH.declared, "as-in-the-document"))
    monkeypatch.setattr(figures, "example", lambda *_: recorded)
    page = preset_page(DEPTH, DEPTH.declared.presets[0]).html
    (lane,) = lanes_in(page)
    assert lane["last"] == last
    assert last > 20 or any(said in text for text in figure_texts(page))
    kept = lane["steps"].get("epoch", {"labels": []})["labels"]
    assert (f"Of {last:,} epochs, {len(kept):,} are in this file." in page) == (last > 20)
    assert len(page) < ROOM + 100_000


def test_no_page_is_over_three_megabytes_and_all_share_one_script(site: Path) -> None:
    for file in site.rglob("*.html"):
        text = file.read_text(encoding="utf-8")
        assert len(text) < 1_000_000
        assert "modules[" not in text
        assert text.count("<script defer src=") == 1
        assert text.count("<script nomodule defer src=") == 1
    assert {path.name for path in site.iterdir() if path.is_file()} >= set(SHARED)


def test_a_step_hides_its_figures_until_a_guess_and_its_answer_is_the_recorded_one() -> None:
    guess = stories()["deep-plain"][1].steps[0].guess
    assert guess is not None
    right, sentence = guess.found(example(DEPTH.declared, "as-in-the-document"))  # type: ignore[arg-type]
    html = step_page("deep-plain", 1).html
    assert f'data-right="{right}"' in html
    assert f"<p hidden><b></b> {sentence}</p>" in html
    assert "<div class=asks>" in html
    assert "<div class=asks>" not in step_page("skip", 1).html


def test_a_view_moves_along_its_positions_from_where_its_settings_look(site: Path) -> None:
    html = (site / preset_path(LENS, LENS.declared.presets[0])).read_text(encoding="utf-8")
    [about] = re.findall(r'id="about">(.*?)</script>', html)
    settings = LENS.declared()
    first, last = settings.positions()  # type: ignore[attr-defined]
    told = json.loads(about)
    assert [told["first"], told["last"], told["noun"]] == [first, last, "Position"]
    assert told["step"] == getattr(settings, settings.position)  # type: ignore[attr-defined]
    assert told["plotly"] == "../plotly.js"


def test_what_a_page_is_called_is_only_text(tmp_path: Path) -> None:
    name = "<script>alert(1)</script>"
    build.build(tmp_path / "site", lambda: [lambda: SitePage("a.html", name, "", f'"{name}', "Run")])
    for file in ("a.html", "index.html"):
        text = (tmp_path / "site" / file).read_text(encoding="utf-8")
        assert "alert(1)" in text
        assert name not in text


def _ending(error: BaseException) -> Iterator[Callable[[], SitePage]]:
    yield lambda: SitePage("a.html", "A", "")
    raise error


def test_a_rename_that_fails_puts_the_earlier_site_back(tmp_path: Path) -> None:
    build.build(tmp_path / "site", lambda: [lambda: SitePage("earlier.html", "Earlier", "")])
    with pytest.raises(OSError, match="No such file"):
        build._put(tmp_path / "lost", tmp_path / "site")
    assert (tmp_path / "site" / "earlier.html").is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_key_that_stops_it_leaves_what_was_there(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    build.build(folder, lambda: [lambda: SitePage("earlier.html", "Earlier", "")])
    with pytest.raises(KeyboardInterrupt):
        build.build(folder, lambda: _ending(KeyboardInterrupt()))
    assert (folder / "earlier.html").is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


@pytest.mark.parametrize("kilobytes", [200, 3500], ids="{} kB".format)
def test_a_disk_that_fills_leaves_what_was_there_and_is_called_full(tmp_path: Path, kilobytes: int) -> None:
    disk = tmp_path / "disk"
    with small_disk(disk, kilobytes):
        if kilobytes > 1000:
            build.build(disk / "site", lambda: [lambda: SitePage("earlier.html", "Earlier", "")])
        before = sorted(disk.rglob("*"))
        sentence = rf"^The site cannot be written to {disk}/site: the disk is full\. Nothing there has changed\.$"
        with pytest.raises(NoSiteFolderError, match=sentence):
            build.build(disk / "site", lambda: [lambda: SitePage("later.html", "Later", "")])
        assert sorted(disk.rglob("*")) == before


def test_an_earlier_site_is_replaced_and_browsers_hear_of_it(tmp_path: Path) -> None:
    names = []
    for title in ("one", "two"):
        build.build(tmp_path / "site", lambda title=title: [lambda: SitePage(f"{title}.html", title, "")])
        names.append(json.loads((tmp_path / "site" / "site.json").read_text(encoding="utf-8")))
    assert not (tmp_path / "site" / "one.html").exists()
    assert names[0]["name"] != names[1]["name"]
    assert "two.html" in names[1]["files"]
    assert set(names[1]["core"]) <= set(names[1]["files"])
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_folder_with_other_files_and_a_place_that_is_not_there_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    assert main(["site", "--to", str(tmp_path)]) == 1
    assert f"The folder {tmp_path} holds other files; allowed is a new folder" in capsys.readouterr().err
    with pytest.raises(NoSiteFolderError, match=r"The folder .*none does not exist\.$"):
        build.build(tmp_path / "none" / "site", list)
    assert (tmp_path / "letter.txt").read_text() == "mine"
    (tmp_path / "new").mkdir()
    monkeypatch.chdir(tmp_path / "new")
    assert main(["site", "--to", "."]) == 1
    assert "The folder . is the one you stand in" in capsys.readouterr().err


def test_a_page_that_needs_what_is_not_installed_is_left_out_and_said(tmp_path: Path) -> None:
    def fails() -> SitePage:
        raise MissingExtraError("Inside BERT needs transformers.")

    complaints = build.build(tmp_path / "site", lambda: [fails, fails, lambda: SitePage("a.html", "Alpha beta", "")])
    assert complaints == ["Inside BERT needs transformers."]
    assert "Alpha beta" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
