"""The attention explorer alone on a page, with attention of which every number is known."""

import streamlit as st

from goldviz.labs.inside_bert.parts.explorer import Choice, attention_explorer
from goldviz.ui.serving import server
from goldviz.ui.serving.queries import shelf
from goldviz.ui.theme import theme_now
from tests.labs.inside_bert.reading_cases import known_exhibit


def main() -> None:
    """Show the exhibit that the address asks for; buttons do what a page around the explorer may do."""
    st.set_page_config(layout="wide")
    size = [int(st.query_params.get(name, default)) for name, default in (("n", 11), ("layers", 3), ("heads", 4))]
    visits = st.session_state.setdefault("visits", 1)
    if st.button("Begin anew"):
        visits += 1
        st.session_state.clear()
        st.session_state["visits"] = visits
    chosen = st.session_state.setdefault("chosen", Choice())
    if st.button("Forget the exhibit"):
        shelf.drop(st.session_state["exhibit"])
    if st.button("Choose layer 3, head 2"):
        chosen = st.session_state["chosen"] = Choice(2, 1, chosen.token)
    if st.session_state.get("exhibit", "") not in shelf:
        if st.session_state.get("put", 0) and not st.session_state.get("forgotten"):
            # The explorer is told of the old exhibit once more, and has to ask for a new one.
            st.session_state["forgotten"] = True
        else:
            st.session_state["exhibit"] = shelf.put(known_exhibit(*size))
            st.session_state["put"] = st.session_state.get("put", 0) + 1
            st.session_state["forgotten"] = False

    def remember(choice: Choice) -> None:
        st.session_state["chosen"] = choice

    attention_explorer(
        st.session_state["exhibit"],
        chosen,
        key=f"explorer-{visits}",
        theme=theme_now(),
        on_choose=remember,
    )
    st.text(f"Chosen: layer {chosen.layer}, head {chosen.head}, token {chosen.token}")
    st.text(f"Visit {visits}")
    if st.session_state["forgotten"]:
        st.text("Forgotten")
    st.text(f"Put up {st.session_state['put']} times")


if __name__ == "__main__":
    main()
elif __name__ == "app":
    app = st.App(__file__, routes=server.routes())
