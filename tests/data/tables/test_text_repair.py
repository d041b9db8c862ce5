"""Characters that were read in the wrong encoding."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.data.tables.text_repair import repaired

SIGNS = "—–‑’“”…½é£ö→≥"


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_a_misread_sign_is_put_right(sign: str, encoding: str) -> None:
    misread = sign.encode().decode(encoding, errors="replace")
    if "\ufffd" in misread:
        pytest.skip(f"{encoding} leaves a byte of {sign} open, so it cannot come from there.")
    assert repaired(f"rates {misread} rose") == (f"rates {sign} rose", 1)


@pytest.mark.parametrize(
    "genuine",
    ["café » noir", "«é»", "Vissing-Jørgensen and López", "À la carte", "10 € – 20 €", "ÄÖÜ ß", "Âge", "naïve…"],
)
def test_what_people_write_stays(genuine: str) -> None:
    assert repaired(genuine) == (genuine, 0)


@given(st.text(st.characters(max_codepoint=0x7F)))
def test_plain_english_stays(text: str) -> None:
    assert repaired(text) == (text, 0)


@given(st.text(st.sampled_from("abc é—–’" + SIGNS), max_size=30))
def test_repairing_undoes_one_misreading(text: str) -> None:
    assert repaired(text.encode().decode("latin-1"))[0] == text
