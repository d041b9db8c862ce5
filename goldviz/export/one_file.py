"""How an exported script holds modules; :mod:`goldviz.export.script` copies this text to the script's top.

The script is one file with a part for each module, under ``if __name__ == "the module's name":``. When a part
imports another, the file runs once more under that name, in a namespace of its own.
"""

import io
import sys
from collections.abc import Collection, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from types import CodeType, ModuleType


class OneFile(MetaPathFinder, Loader):
    """Finds the modules that stand in this file; ``code`` is the whole file, compiled."""

    def __init__(self, code: CodeType, modules: Collection[str]) -> None:
        self.code = code
        self.modules = frozenset(modules)
        parts = [name.split(".") for name in modules]
        self.packages = {".".join(names[:count]) for names in parts for count in range(1, len(names))}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where a module is; None for what does not stand here."""
        if fullname not in self.modules and fullname not in self.packages:
            return None
        inside: list[str] | None = [] if fullname in self.packages else None
        return spec_from_file_location(fullname, self.code.co_filename, loader=self, submodule_search_locations=inside)

    def exec_module(self, module: ModuleType) -> None:
        """Run the file under the module's name; a package that has no part here stays empty."""
        if module.__name__ in self.modules:
            exec(self.code, vars(module))

    def get_resource_reader(self, fullname: str) -> "Tables":
        """What reads the files of a package."""
        return Tables(fullname)

    def take_over(self) -> None:
        """Find modules here before anywhere else, even where the package itself is installed and loaded."""
        roots = {name.partition(".")[0] for name in self.modules}
        for name in [name for name in sys.modules if name.partition(".")[0] in roots]:
            del sys.modules[name]
        sys.meta_path.insert(0, self)


class Tables:
    """The tables of a package's modules, each the text ``TABLE`` of the module that reads it."""

    def __init__(self, package: str) -> None:
        self.package = package

    def open_resource(self, resource: str) -> io.BytesIO:
        """The table that stands as ``resource`` beside its module where the package is installed."""
        return io.BytesIO(sys.modules[f"{self.package}.{resource.removesuffix('.toml')}"].TABLE.encode())
