"""What a visitor takes along: scripts, reports and tables."""
