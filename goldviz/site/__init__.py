"""An edition of goldviz without a server: what was recorded, as static files for any web host, a stick or a phone."""
