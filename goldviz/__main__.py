"""``python -m goldviz`` is the command ``goldviz``."""

import sys

from goldviz.cli import main

if __name__ == "__main__":
    sys.exit(main())
