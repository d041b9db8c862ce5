"""Memory through time."""

from goldviz.labs.recurrent_gradients.page import PAGE

PAGE.show()
