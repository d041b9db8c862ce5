"""What the web process does beside running pages' scripts: its routes, its doors, what all visitors share."""
