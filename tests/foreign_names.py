"""What goldviz leans on that Streamlit and Plotly promise nobody: the one table of such names.

Names that scripts and style sheets have by a pattern are found in them and need no entry: Streamlit's test ids and
classes, such as ``stMain``, and Plotly's fields with an underscore, such as ``_fullLayout``. What Python imports fails
by itself. All others stand here.
"""

PLOTLY = (
    "annotation", "colorbar", "gtitle", "gtitle-subtitle", "heatmap-label", "imagelayer", "mlayer",
    "modebar", "modebar-btn", "nsewdrag", "plotly_afterplot", "scatterlayer", "shapelayer",
)  # fmt: skip
"""Classes and events in the script that draws."""

STREAMLIT = ("block-container",)
"""Classes in its page."""

INDEX = ('<div id="root"></div>', "<head>", "./static/media/SourceSans")
"""Places in its ``index.html`` before or at which something is put."""

IN_SOURCE = {
    "runtime/app_session.py": ("_client_state",),
    "runtime/memory_uploaded_file_manager.py": ("add_file",),
    "runtime/pages_manager.py": ("uses_pages_directory",),
    "runtime/runtime.py": ("_session_mgr",),
    "runtime/websocket_session_manager.py": ("_session_storage",),
    "runtime/scriptrunner_utils/script_requests.py": ("_rerun_data", "fragment_id_queue"),
    "watcher/polling_path_watcher.py": ("_POLLING_PERIOD_SECS",),
}
"""What its Python has beside the names that are imported, by the file that sets it."""
