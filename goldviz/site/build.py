"""``goldviz site``: all pages in one folder, which is there whole or not at all."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from importlib.resources import files
from pathlib import Path

from goldviz.coded_errors import CodedError
from goldviz.data.tables.whole_files import disk_faults_as
from goldviz.declare.registry import laboratories
from goldviz.extras import MissingExtraError
from goldviz.site.figures import preset_page, presets_of, step_page, story_steps
from goldviz.site.lists import claims_page, errata_page, glossary_page, server_page, start_page, stories_page
from goldviz.site.shell import SCRIPT, START, STYLES, WORKER, SitePage, shared_files

MARK = "site.json"
"""The file that says that a folder is a site: its pages, and what all of it weighs."""
CORE = (START, SCRIPT, STYLES, "stories.html", "claims.html", "glossary.html", "errata.html", "server.html")
"""What a browser keeps at a first visit; other pages as they are opened, or all of them when asked."""


class NoSiteFolderError(CodedError):
    """A folder that a site may not, or cannot, be written to."""


def checked_folder(to: Path) -> Path:
    """The folder, where it is new, empty or an earlier site; raises :class:`NoSiteFolderError`."""
    if to.resolve() == Path.cwd():
        raise NoSiteFolderError(
            f"The folder {to} is the one you stand in, which cannot be replaced; name another.", "not_allowed"
        )
    if to.exists() and not (to.is_dir() and ((to / MARK).is_file() or not any(to.iterdir()))):
        raise NoSiteFolderError(
            f"The folder {to} holds other files; allowed is a new folder or an earlier site.", "other_kind"
        )
    if not to.absolute().parent.is_dir():
        raise NoSiteFolderError(f"The folder {to.absolute().parent} does not exist.", "gone")
    return to


def planned() -> list[Callable[[], SitePage]]:
    """What makes each page with figures, in order."""
    presets = [partial(preset_page, lab, one) for lab in laboratories().values() for one in presets_of(lab)]
    return [*presets, *(partial(step_page, *step) for step in story_steps())]


def build(to: Path, makers: Callable[[], Iterable[Callable[[], SitePage]]] | None = None) -> list[str]:
    """Write a site to the folder ``to``, and return a sentence for each page that could not be made.

    ``makers`` gives what makes each page with figures, all that are planned without it. Everything is written beside
    and renamed at the end, so that a disk that fills or a key that stops it leave what was there. Raises
    :class:`NoSiteFolderError`.
    """
    checked_folder(to)
    with disk_faults_as(NoSiteFolderError, f"The site cannot be written to {to}", " Nothing there has changed."):
        beside = Path(tempfile.mkdtemp(prefix=f".{to.name}-", dir=to.absolute().parent))
        try:
            complaints = _fill(beside, makers() if makers else planned())
            beside.chmod(0o755)
            _put(beside, to)
        except BaseException:
            shutil.rmtree(beside, ignore_errors=True)
            raise
    return complaints


def _fill(folder: Path, makers: Iterable[Callable[[], SitePage]]) -> list[str]:
    pages, complaints = [], []
    for make in makers:
        try:
            page = make()
        except MissingExtraError as error:
            complaints.append(str(error))
            continue
        _write(folder, page)
        pages.append(SitePage(page.path, page.title, "", page.words, page.kind))
    for page in (start_page(pages), stories_page(), claims_page(), glossary_page(), errata_page(), server_page()):
        _write(folder, page)
    for name, content in shared_files().items():
        (folder / name).write_bytes(content)
    _let_browsers_keep(folder)
    return list(dict.fromkeys(complaints))


def _write(folder: Path, page: SitePage) -> None:
    path = folder / page.path
    path.parent.mkdir(exist_ok=True)
    path.write_text(page.html, encoding="utf-8")


def _let_browsers_keep(folder: Path) -> None:
    """Write the mark and the service worker; its name changes with the content, so that a new site replaces an old."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    digest = hashlib.sha256(b"".join(hashlib.sha256(path.read_bytes()).digest() for path in paths)).hexdigest()[:16]
    about = {
        "name": f"goldviz-{digest}",
        "core": list(CORE),
        "files": [path.relative_to(folder).as_posix() for path in paths],
        "bytes": sum(path.stat().st_size for path in paths),
    }
    text = json.dumps(about, indent=1)
    (folder / MARK).write_text(text, encoding="utf-8")
    worker = (files("goldviz") / "site" / WORKER).read_text(encoding="utf-8")
    (folder / WORKER).write_text(f"self.site = {text};\n{worker}", encoding="utf-8")


def _put(beside: Path, to: Path) -> None:
    """Rename the folder ``beside`` to ``to``, in place of what stood there; that stays where this cannot be done."""
    if not to.exists():
        beside.rename(to)
        return
    earlier = Path(tempfile.mkdtemp(prefix=f".{to.name}-", dir=to.absolute().parent)) / to.name
    to.rename(earlier)
    try:
        beside.rename(to)
    except BaseException:
        earlier.rename(to)
        raise
    finally:
        shutil.rmtree(earlier.parent, ignore_errors=True)
