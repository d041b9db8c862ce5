"""Workbooks that are made to do harm: sound ones whose XML, archive or records say what no program would write.

``python -m tests.hostile_workbooks`` reads those of a seed one after another and prints what each took.
"""

from __future__ import annotations

import io
import os
import random
import struct
import sys
import zipfile
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Literal, NamedTuple

from tests import old_workbooks as old
from tests.hostile_files import hostile

Kind = Literal["xlsx", "ods", "xls"]
Parts = list[tuple[str, bytes]]
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DOCUMENT = "application/vnd.openxmlformats-officedocument.spreadsheetml"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OPEN_DOCUMENT = "urn:oasis:names:tc:opendocument:xmlns"
SHEET, STRINGS, STYLES = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/styles.xml"
WORKBOOK, RELATIONS, TYPES = "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "[Content_Types].xml"
DAYS = 60


class Hostile(NamedTuple):
    """A file made to do harm, and how it was made."""

    kind: Kind
    made: str
    content: bytes


def packed(parts: Parts, **how: int) -> bytes:
    """An archive of these parts, of which several may have the same name."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, **how) as archive:  # type: ignore[arg-type]
        for name, part in parts:
            archive.writestr(name, part)
    return sink.getvalue()


def xml_of_sheet(rows: str) -> bytes:
    """The XML of a sheet with these rows."""
    return f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'.encode()


def sound_rows() -> str:
    """Days and prices under a header of shared strings."""
    rows = ['<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>']
    rows += [
        f'<row r="{row}"><c r="A{row}" s="1"><v>{45000 + row}</v></c><c r="B{row}"><v>{1900 + row}.5</v></c></row>'
        for row in range(2, DAYS + 2)
    ]
    return "".join(rows)


def sound_parts() -> Parts:
    """A workbook of one sheet that is read as it stands."""
    kinds = {WORKBOOK: "sheet.main", SHEET: "worksheet", STRINGS: "sharedStrings", STYLES: "styles"}
    overrides = "".join(
        f'<Override PartName="/{name}" ContentType="{DOCUMENT}.{kind}+xml"/>' for name, kind in kinds.items()
    )
    relations = "".join(
        f'<Relationship Id="r{place}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for place, (kind, target) in enumerate(
            [("worksheet", "worksheets/sheet1.xml"), ("sharedStrings", "sharedStrings.xml"), ("styles", "styles.xml")],
            1,
        )
    )
    return [
        (TYPES, f'<Types xmlns="{PACKAGE}/content-types">{overrides}</Types>'.encode()),
        (
            WORKBOOK,
            f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets><sheet name="Gold" sheetId="1" r:id="r1"/></sheets>'
            "</workbook>".encode(),
        ),
        (RELATIONS, f'<Relationships xmlns="{PACKAGE}/relationships">{relations}</Relationships>'.encode()),
        (STRINGS, f'<sst xmlns="{MAIN}"><si><t>Date</t></si><si><t>Close</t></si></sst>'.encode()),
        (
            STYLES,
            f'<styleSheet xmlns="{MAIN}"><fonts><font/></fonts><fills><fill><patternFill/></fill></fills><borders>'
            '<border/></borders><cellStyleXfs><xf/></cellStyleXfs><cellXfs><xf numFmtId="0"/>'
            '<xf numFmtId="14"/></cellXfs><cellStyles><cellStyle name="Normal" xfId="0" builtinId="0"/>'
            "</cellStyles></styleSheet>".encode(),
        ),
        (SHEET, xml_of_sheet(sound_rows())),
    ]


def exchanged(parts: Parts, name: str, part: bytes) -> Parts:
    """The parts with other bytes under a name."""
    return [(one, part if one == name else content) for one, content in parts]


def huge_row_number(number: int = 999_999_999_999) -> bytes:
    """Five kilobytes that say that they have a billion rows."""
    return packed(
        exchanged(sound_parts(), SHEET, xml_of_sheet(sound_rows() + f'<row r="{number}"><c><v>1</v></c></row>'))
    )


def row_of_empty_cells(count: int = 9_000_000) -> bytes:
    """A row of millions of cells without anything in them, in tens of kilobytes."""
    return packed(exchanged(sound_parts(), SHEET, xml_of_sheet(sound_rows() + f'<row r="99">{"<c/>" * count}</row>')))


def many_sheets_of_one_part(sheets: int = 500, rows: int = 110, columns: int = 9_000) -> bytes:
    """Sheets of different names that are all the same part, of which each row is empty: nine kilobytes."""
    named = "".join(f'<sheet name="Gold {place}" sheetId="{place}" r:id="r1"/>' for place in range(1, sheets + 1))
    workbook = f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{named}</sheets></workbook>'.encode()
    parts = exchanged(sound_parts(), WORKBOOK, workbook)
    return packed(exchanged(parts, SHEET, xml_of_sheet(f"<row>{'<c/>' * columns}</row>" * rows)))


def empty_sheets(sheets: int = 3, rows: int = 50, columns: int = 9_000) -> bytes:
    """Sheets without anything in them, each a part of its own, in kilobytes."""
    places = range(2, sheets + 2)
    named = "".join(f'<sheet name="Gold {place}" sheetId="{place}" r:id="e{place}"/>' for place in places)
    related = "".join(
        f'<Relationship Id="e{place}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{place}.xml"/>'
        for place in places
    )
    workbook = f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{named}</sheets></workbook>'.encode()
    parts = exchanged(sound_parts(), WORKBOOK, workbook)
    parts = [
        (name, part.replace(b"</Relationships>", related.encode() + b"</Relationships>") if name == RELATIONS else part)
        for name, part in parts
    ]
    cells = xml_of_sheet(f"<row>{'<c/>' * columns}</row>" * rows)
    return packed([*parts, *((f"xl/worksheets/sheet{place}.xml", cells) for place in places)])


MOST_VALUES = 300_000
COUNTS = (1_000, 20_000, 300_000, 3_000_000)
NUMBERS = (
    "-1",
    "0",
    "1048576",
    "1048577",
    "16385",
    "4294967296",
    "999999999999",
    "1e9",
    "1e308",
    "9" * 5000,
    "NaN",
    "9" * 400,
    "inf",
    "1_000_000_000",
    "\N{FULLWIDTH DIGIT NINE}" * 12,
    "",
    "x",
    "1.5",
)
REFERENCES = ("XFD1048576", "XFE1", "ZZZ1", "AAAA1", "A0", "1A", "", "A" * 5000, "$A$1", "A1:XFD1048576", "\u00c41")


def _times(chance: random.Random, piece: str, most: int = 12_000_000) -> str:
    """A piece so often as one of :data:`COUNTS` says, but in ``most`` bytes and with no more cells than many a sound
    workbook has: those take as long as any others."""
    values = piece.count("<v>") + piece.count("<is>")
    return piece * min(chance.choice(COUNTS), most // len(piece), MOST_VALUES // values if values else most)


def _sheets(chance: random.Random) -> str:
    """What may stand in a sheet after its sound rows."""
    number, reference, count = chance.choice(NUMBERS), chance.choice(REFERENCES), chance.randrange(1, 400)
    far = f'<row r="{chance.randrange(1, 1_048_577)}"><c r="XFD{chance.randrange(1, 99)}"><v>1</v></c></row>'
    return chance.choice(
        [
            lambda: f'<row r="{number}"><c><v>1</v></c></row>',
            lambda: f'<row r="100"><c r="{reference}"><v>1</v></c></row>',
            lambda: f'<row r="100" spans="1:{number}">{_times(chance, "<c/>")}</row>',
            lambda: _times(chance, "<row/>"),
            lambda: _times(chance, f"<row>{'<c/>' * count}</row>"),
            lambda: _times(chance, "<row><c><v>1</v></c></row>"),
            lambda: _times(chance, f"<row>{'<c><v>1</v></c>' * count}</row>"),
            lambda: far * count,
            lambda: f'<row r="100"><c s="{number}"><v>1</v></c></row>',
            lambda: f'<row r="100"><c t="s"><v>{number}</v></c></row>',
            lambda: f'<row r="100"><c s="1"><v>{number}</v></c></row>',
            lambda: f'<row r="100"><c><v>{_times(chance, "9")}</v></c></row>',
            lambda: f'<row r="100"><c t="inlineStr"><is><t>{_times(chance, "gold ")}</t></is></c></row>',
            lambda: f'<row r="100"><c t="inlineStr"><is>{_times(chance, "<r><t>gold</t></r>")}</is></c></row>',
            lambda: _times(chance, f'<row><c t="inlineStr"><is><t>{"gold " * count}</t></is></c></row>'),
            lambda: f"<!--{_times(chance, 'gold')}-->",
            lambda: f'<row r="100" name="{_times(chance, "gold")}"/>',
            lambda: "<row " + " ".join(f"a{place}='1'" for place in range(100 * count)) + "/>",
            lambda: _times(chance, "<deep>"),
            lambda: "<deep>" * 20_000 + "</deep>" * 20_000,
            lambda: f'<row r="100"><c t="{chance.choice(["e", "b", "d", "str", "zz"])}"><v>{number}</v></c></row>',
            lambda: (
                f"</sheetData><mergeCells>{_times(chance, f'<mergeCell ref={reference!r}/>')}</mergeCells><sheetData>"
            ),
            lambda: f'</sheetData><cols><col min="1" max="{number}" width="9"/></cols><sheetData>',
            lambda: f"<?xml{_times(chance, ' gold')}?>",
            lambda: f"<![CDATA[{_times(chance, 'gold')}]]>",
        ]
    )()


def _strings(chance: random.Random) -> bytes:
    count = chance.choice(NUMBERS[:-3])
    inside = chance.choice(
        [
            lambda: _times(chance, "<si><t>gold</t></si>"),
            lambda: _times(chance, "<si/>"),
            lambda: f"<si><t>{_times(chance, 'gold')}</t></si>",
            lambda: f"<si>{_times(chance, '<r><rPr><b/></rPr><t>gold</t></r>')}</si>",
            lambda: f"<si><rPh sb='0' eb='{count}'><t>{_times(chance, 'gold')}</t></rPh></si>",
            lambda: _times(chance, f"<si><t>{'😀 gold' * 50}</t></si>"),
        ]
    )()
    head = f'<sst xmlns="{MAIN}" count="{count}" uniqueCount="{count}">'
    return f"{head}<si><t>Date</t></si><si><t>Close</t></si>{inside}</sst>".encode()


def _styles(chance: random.Random) -> bytes:
    number = chance.choice(NUMBERS)
    inside = chance.choice(
        [
            lambda: f"<cellXfs>{_times(chance, '<xf/>')}</cellXfs>",
            lambda: f'<cellXfs count="{number}"><xf numFmtId="{number}"/><xf numFmtId="{number}"/></cellXfs>',
            lambda: "<numFmts>" + _times(chance, '<numFmt numFmtId="200" formatCode="0.0%"/>') + "</numFmts>",
            lambda: f'<numFmts><numFmt numFmtId="14" formatCode="{_times(chance, "[d")}"/></numFmts>',
            lambda: f"<fonts>{_times(chance, '<font><b/></font>')}</fonts>",
            lambda: f"<dxfs>{_times(chance, '<dxf><font/></dxf>')}</dxfs>",
        ]
    )()
    return f'<styleSheet xmlns="{MAIN}">{inside}</styleSheet>'.encode()


def _workbook(chance: random.Random) -> bytes:
    number = chance.choice(NUMBERS)
    sheets = chance.choice(
        [
            lambda: _times(chance, f'<sheet name="Gold" sheetId="{number}" r:id="r1"/>'),
            lambda: f'<sheet name="{_times(chance, "gold")}" sheetId="1" r:id="r1"/>',
            lambda: '<sheet name="Gold" sheetId="1" r:id="r9"/>',
            lambda: '<sheet name="Gold" sheetId="1" r:id="r2"/>',
        ]
    )()
    names = chance.choice(["", _times(chance, "<definedName name='a'>Gold!A1</definedName>")])
    head = chance.choice(["", '<workbookPr date1904="1"/>', f'<workbookPr date1904="{number}"/>'])
    inside = f"{head}<sheets>{sheets}</sheets><definedNames>{names}</definedNames>"
    return f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}">{inside}</workbook>'.encode()


def _relations(chance: random.Random) -> bytes:
    target = chance.choice(
        ["../../etc/passwd", "/xl/styles.xml", "worksheets/sheet1.xml", "sharedStrings.xml", "a" * 9999]
    )
    inside = _times(chance, f'<Relationship Id="r{chance.randrange(9)}" Type="{OFFICE}/worksheet" Target="{target}"/>')
    return f'<Relationships xmlns="{PACKAGE}/relationships">{inside}</Relationships>'.encode()


def _types(chance: random.Random) -> bytes:
    piece = (
        f'<Override PartName="/{chance.choice([SHEET, STYLES, WORKBOOK])}" ContentType="{chance.choice(["", "a/b"])}"/>'
    )
    return f'<Types xmlns="{PACKAGE}/content-types">{_times(chance, piece)}</Types>'.encode()


DOCUMENT_TYPES = (
    "<!DOCTYPE lolz [<!ENTITY lol 'lol'>]>",
    "<!DOCTYPE lolz [" + "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10 if n else 'lol'}'>" for n in range(12)) + "]>",
    "<!DOCTYPE lolz SYSTEM 'file:///etc/passwd'>",
)


def _with_document_type(chance: random.Random, part: bytes) -> bytes:
    """Behind more blanks and comments than a look at the first bytes sees."""
    blanks = f"<!--{' ' * chance.choice([0, 2_000, 200_000])}-->"
    text = f'<?xml version="1.0"?>{blanks}{chance.choice(DOCUMENT_TYPES)}' + part.decode(errors="ignore")
    return text.encode(chance.choice(["utf-8", "utf-16", "utf-8"]))


PARTS: dict[str, Callable[[random.Random], bytes]] = {
    SHEET: lambda chance: xml_of_sheet(sound_rows() + _sheets(chance)),
    STRINGS: _strings,
    STYLES: _styles,
    WORKBOOK: _workbook,
    RELATIONS: _relations,
    TYPES: _types,
}


def _archive(chance: random.Random) -> bytes:
    """A sound workbook in an archive that lies."""
    parts = sound_parts()
    content = bytearray(packed(parts))
    central = content.find(b"PK\x01\x02")
    trick = chance.randrange(8)
    if trick == 0:
        return packed([*parts, (chance.choice(parts)[0], xml_of_sheet(_sheets(chance)))])
    if trick == 1:
        return packed(
            [*parts, *((f"xl/media/{place}.xml", b"") for place in range(chance.choice((100, 4_000, 30_000))))]
        )
    if trick == 2:
        return packed([*parts, ("xl/embeddings/inner.xlsx", packed(parts))])
    if trick == 3:
        return packed([("inner.xlsx", packed(parts)), (WORKBOOK, packed(parts))])
    if trick == 4:
        # The size once unpacked, as the list of parts says it.
        struct.pack_into("<I", content, central + 24, chance.choice((0, 1, 2**31, 2**32 - 1)))
        return bytes(content)
    if trick == 5:
        struct.pack_into("<H", content, central + 10, chance.choice((1, 12, 14, 93, 99)))
        return bytes(content)
    if trick == 6:
        return packed([*parts, ("xl/media/zeros.bin", bytes(chance.choice((10**6, 10**8, 2 * 10**8))))])
    struct.pack_into("<I", content, central + 42, chance.randrange(2**32))
    return bytes(content)


def spreadsheet(chance: random.Random) -> bytes:
    """An OpenDocument spreadsheet whose repeats stand for a billion rows or columns."""
    names = f'xmlns:office="{OPEN_DOCUMENT}:office:1.0" xmlns:table="{OPEN_DOCUMENT}:table:1.0"'
    columns, rows = (chance.choice(("1", "16384", "1048576", "1000000000", "-1", "x")) for _ in range(2))
    cell = f'<table:table-cell office:value-type="float" office:value="1" table:number-columns-repeated="{columns}"/>'
    row = f'<table:table-row table:number-rows-repeated="{rows}">{cell * chance.randrange(1, 9)}</table:table-row>'
    table = f'<table:table table:name="Gold">{_times(chance, row, 4_000_000)}</table:table>'
    body = f"<office:body><office:spreadsheet>{table}</office:spreadsheet></office:body>"
    body = f"<office:document-content {names}>{body}</office:document-content>"
    return packed([("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", body.encode())])


def old_workbook(chance: random.Random) -> bytes:
    """A workbook of the old format whose records or sectors lie: about lengths, rows, strings, sheets and chains."""
    days = [["Date", "Close"], *([date(2024, 1, 1) + timedelta(day), 1900.5 + day] for day in range(60))]
    stream = bytearray(old.records({"Gold": days, "Silver": days}))
    for _ in range(chance.randrange(4)):
        place = chance.randrange(len(stream) - 8)
        lie = chance.choice([b"\xff", b"\xff\xff", b"\0\0", b"\xff\xff\xff\x7f", chance.randbytes(4)])
        stream[place : place + len(lie)] = lie
    content = bytearray(old.compound(bytes(stream)))
    for _ in range(chance.randrange(3)):
        struct.pack_into("<I", content, 4 * chance.randrange(11, 640), chance.choice((0, 1, 2, 2**31, 2**32 - 1)))
    return bytes(content)


def hostile_workbooks(count: int, seed: int) -> Iterator[Hostile]:
    """So many files, always the same ones for a seed; the four kinds that were met first come first."""
    yield Hostile("xlsx", "a huge row number", huge_row_number())
    yield Hostile("xlsx", "a row of empty cells", row_of_empty_cells())
    yield Hostile("xlsx", "many sheets of one part", many_sheets_of_one_part())
    yield Hostile("xlsx", "empty sheets", empty_sheets())
    chance = random.Random(seed)
    damaged = hostile(packed(sound_parts()), count, seed)
    for _ in range(count - 4):
        draw = chance.random()
        if draw < 0.55:
            name = chance.choice([SHEET, SHEET, SHEET, *PARTS])
            part = PARTS[name](chance)
            made = f"other bytes in {name}"
            if chance.random() < 0.1:
                part, made = _with_document_type(chance, part[:200_000]), f"a document type in {name}"
            yield Hostile("xlsx", made, packed(exchanged(sound_parts(), name, part)))
        elif draw < 0.7:
            yield Hostile("xlsx", "an archive that lies", _archive(chance))
        elif draw < 0.8:
            yield Hostile("xlsx", "damage", next(damaged))
        elif draw < 0.9:
            yield Hostile("ods", "repeats", spreadsheet(chance))
        else:
            yield Hostile("xls", "records that lie", old_workbook(chance))


def _read(one: Hostile) -> str:
    """What is said of a file; empty where it can be read."""
    from goldviz.data.markets.files import look_into
    from goldviz.data.markets.market import MarketError

    try:
        look_into(one.content, f"gold.{one.kind}")
    except MarketError as error:
        return str(error)
    return ""


def main(count: int, seed: int, seconds: float, megabytes: float) -> int:
    """Read so many files and print those over the limits, then the slowest and the largest.

    Seconds are of a core, those of the processes that read included; megabytes are what this process grows by.
    """
    import psutil

    from goldviz.runs.execution.memory_watch import give_back_memory

    own = psutil.Process()
    if said := _read(Hostile("xlsx", "sound", packed(sound_parts()))):
        raise AssertionError(said)
    slowest = largest = (0.0, "")
    over = refused = 0
    for number, one in enumerate(hostile_workbooks(count, seed)):
        give_back_memory()
        before = own.memory_info().rss
        _reset_peak()
        began = _seconds()
        said = _read(one)
        took = _seconds() - began
        taken = (_peak() - before) / 2**20
        refused += bool(said)
        told = f"{number} ({one.kind}, {one.made}, {len(one.content):,} bytes): {took:.2f} s, {taken:.0f} MB: "
        told += said or "read"
        slowest, largest = max(slowest, (took, told)), max(largest, (taken, told))
        if took > seconds or taken > megabytes or "\n" in said or len(said) > 1000:
            over += 1
            print(f"over: {told[:400]}", flush=True)
    print(f"{count} workbooks of seed {seed}: {refused} refused, {count - refused} read, {over} over the limits")
    print(f"slowest: {slowest[1][:300]}\nlargest: {largest[1][:300]}")
    return over


def _seconds() -> float:
    """Seconds of a core that this process and those that it began have taken."""
    return sum(os.times()[:4])


def _reset_peak() -> None:
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def _peak() -> int:
    """The most bytes that this process had in memory since the last reset."""
    with open("/proc/self/status", encoding="ascii") as file:
        [line] = [line for line in file if line.startswith("VmHWM")]
    return int(line.split()[1]) * 2**10


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]))))
