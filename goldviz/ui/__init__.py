"""The Streamlit parts that pages share."""
