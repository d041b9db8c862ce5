"""What the contract of all laboratories needs to know of *What does attention cost?*"""
