"""Policy documents."""

from goldviz.labs.policy_documents.page import PAGE

PAGE.show()
