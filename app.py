"""Entry of the app: the server imports this file once; Streamlit runs it as a script for every visitor."""

import streamlit as st

from goldviz.ui import navigation
from goldviz.ui.serving import server

if __name__ == "__main__":
    navigation.main()
elif __name__ == "app":
    # Only the server's own import makes an App; worker processes that import this file again do not.
    app = st.App(
        __file__,
        lifespan=server.lifespan,
        routes=server.routes(),
        middleware=server.middleware(),
        exception_handlers=server.exception_handlers(),
    )
