"""The page's modules in one script: none of them imports itself by way of others."""

from pathlib import Path

import pytest

import goldviz
from goldviz.export import page_scripts
from goldviz.export.page_scripts import in_one_script

PACKAGE = Path(goldviz.__file__).parent
MODULES = [path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.js") if not path.name.endswith(".min.js")]


@pytest.mark.parametrize("module", MODULES)
def test_no_module_is_in_a_circle(module: str) -> None:
    assert f'modules["{module}"]' in in_one_script(module)


def test_a_circle_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"one.js": 'import { b } from "./two.js";', "two.js": 'import { c } from "./three.js";'}
    texts["three.js"] = 'import { b } from "./two.js";'
    monkeypatch.setattr(page_scripts, "module_text", texts.__getitem__)
    with pytest.raises(ValueError, match=r"two\.js, three\.js, two\.js"):
        in_one_script("one.js")
