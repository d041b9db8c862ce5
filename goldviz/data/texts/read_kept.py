"""Reading what was kept under a name made of its content."""

from __future__ import annotations

from goldviz.coded_errors import CodedError
from goldviz.data.tables.kept_files import KeptFiles
from goldviz.data.tables.sealed_names import KEY, check_open
from goldviz.data.tables.whole_files import digest, disk_faults_as


def read_kept(
    files: KeptFiles, name: str, noun: str, fault: type[CodedError], *, folder: str, if_lost: str, if_damaged: str
) -> bytes:
    """The file of this name, which counts as used just now.

    Raises ``fault`` for a name that cannot be one, a file that this machine does not hold, and one that is damaged;
    ``if_lost`` and ``if_damaged`` say what to do then. ``noun`` is what a person calls it, ``folder`` what the folder
    holds.
    """
    check_open(name, fault)
    if not KEY.fullmatch(name):
        raise fault(f"The {noun} is {name!r}; allowed are the 16 characters that name a kept {noun}.", "not_allowed")
    with disk_faults_as(fault, f"{folder} cannot be read on this server"):
        content = files.read(name)
    if content is None:
        raise fault(f"This machine does not hold the {noun} {name}: {if_lost}.", "gone")
    if digest(content) != name:
        raise fault(f"The kept {noun} {name} is damaged and was not used; {if_damaged}.", "damaged")
    return content
