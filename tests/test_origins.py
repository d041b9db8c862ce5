"""Hosts and origins as a person writes them."""

import logging

import pytest

from goldviz import origins
from goldviz.origins import EMBEDDING, HOSTS, AddressError, allowed_embedding, allowed_host, from_environment

NO_HOSTS = [
    "",
    "a b",
    "http://",
    "ftp://a",
    "http://a/",
    "a/b",
    "me@a",
    "a:0",
    "a:65536",
    "a:x",
    "*",
    "*.a",
    "[::g]",
    "a,b",
    "é",
]


@pytest.mark.parametrize("written", NO_HOSTS)
def test_what_cannot_be_meant_is_refused_in_a_sentence(written: str) -> None:
    with pytest.raises(AddressError) as refused:
        allowed_host(written)
    assert str(refused.value) == (
        f"--allow-host is {written!r}; allowed is a name or a number, perhaps with a port or a scheme: "
        "lab.example, lab.example:8443 or https://lab.example."
    )


@pytest.mark.parametrize("written", [*NO_HOSTS, "site.example", "https://[::1]", "https://site.example; script-src *"])
def test_a_site_that_may_embed_has_a_scheme_and_no_path(written: str) -> None:
    with pytest.raises(AddressError, match=r"--allow-embedding is .*; allowed is the scheme and host of the pages"):
        allowed_embedding(written)


def test_values_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv(HOSTS, " Class.example,https://[fd00::1], , a b")
    monkeypatch.setenv(EMBEDDING, "https://site.example,site.example")
    with caplog.at_level(logging.ERROR, origins.__name__):
        names, sites = from_environment(HOSTS), from_environment(EMBEDDING)
    assert {str(one) for one in names} == {"http://class.example", "https://class.example", "https://[fd00::1]"}
    assert {str(one) for one in sites} == {"https://site.example"}
    first, second = (record.getMessage() for record in caplog.records)
    assert first.startswith("GOLDVIZ_HOSTS is 'a b'; allowed is ")
    assert second.startswith("GOLDVIZ_EMBEDDING is 'site.example'; allowed is ")
