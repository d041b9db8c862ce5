"""Your network: watch a network of your own while your script trains it."""

from goldviz.ui.pages.your_network import show

ICON = ":material/visibility:"
RANK = 10
SECTION = ""
SOUGHT = "watch my own network loop script debug NaN loss not learning gradient hooks trainer Lightning"

show()
