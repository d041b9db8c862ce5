"""Home: the laboratories as a map, the device, the latest runs."""

import streamlit as st

from goldviz.ui.pages.home import show

show()
st.caption("Everything runs on this server: no data leaves it, and no internet is needed.")
