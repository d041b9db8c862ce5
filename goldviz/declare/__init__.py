"""What a laboratory declares: settings, presets, variables, and where its parts are."""
