"""Packages that some laboratories need and a lean installation leaves out, and what is said where they are missing."""

from __future__ import annotations

from importlib.util import find_spec

EXTRAS = {
    "agents": ("mcp",),
    "markets": ("arch", "curl_cffi", "yfinance"),
    "netcdf": ("h5netcdf", "h5py"),
    "texts": ("faker", "httpx2", "huggingface_hub", "tokenizers", "transformers"),
}
"""The modules of each extra of ``pyproject.toml``; ``all`` there names them together."""


class MissingExtraError(ImportError):
    """A package is not installed, said in one sentence that names the command which installs it."""

    for_a_person = True


def check_extra(extra: str, what: str) -> None:
    """Raise :class:`MissingExtraError` where ``what`` needs an extra that is not installed whole; none where it is ''.

    >>> check_extra("", "This page")
    """
    for module in EXTRAS[extra] if extra else ():
        if find_spec(module) is None:
            raise MissingExtraError(_sentence(what, module, extra))


def is_installed(extra: str) -> bool:
    """Whether an extra is installed whole; the extra '' always is.

    >>> is_installed("")
    True
    """
    return all(find_spec(module) is not None for module in (EXTRAS[extra] if extra else ()))


def missing_extra(error: ImportError) -> str:
    """What to say of a module that was not there, or nothing where no extra has it.

    >>> missing_extra(ModuleNotFoundError(name="yfinance"))
    "This needs yfinance, which is not installed: pip install 'goldviz[markets]'."
    """
    module = (error.name or "").partition(".")[0]
    extra = next((extra for extra, modules in EXTRAS.items() if module in modules), None)
    return _sentence("This", module, extra) if extra else ""


def _sentence(what: str, module: str, extra: str) -> str:
    return f"{what} needs {module}, which is not installed: pip install 'goldviz[{extra}]'."
