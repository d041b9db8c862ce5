"""What the address says is read before it is written."""

from streamlit.testing.v1 import AppTest


def _a_page() -> None:
    from goldviz.ui import address

    address.take()
    address.keep("step", "3")


def test_once_the_page_has_read_it_its_parts_write() -> None:
    page = AppTest.from_function(_a_page)
    page.query_params.update({"shown": "claims"})
    page.run()
    assert dict(page.query_params) == {"shown": "claims", "step": "3"}


def _whole_then_part() -> None:
    import streamlit as st

    from goldviz.ui import address

    if "drawn" not in st.session_state:
        st.session_state["drawn"] = True
        address.take()
        address.leave({"gain": "3", "runs": "one"})
    else:
        address.keep("step", "1")


def test_a_part_that_was_asked_for_before_its_page_was_drawn_takes_nothing_out_of_the_address() -> None:
    """The browser's message has the address as it was then; that the page has written more comes after."""
    page = AppTest.from_function(_whole_then_part)
    page.query_params.update({"story": "deep-plain.4"})
    page.run()
    page.query_params.clear()
    page.query_params.update({"story": "deep-plain.4"})
    page.run()
    assert dict(page.query_params) == {"story": "deep-plain.4", "gain": "3", "runs": "one", "step": "1"}
