"""Your network: watch a network of your own while your script trains it."""

from goldviz.ui.pages.your_network import show

ICON = ":material/visibility:"
RANK = 10

show()
