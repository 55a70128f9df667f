"""Format: completions whose shape is checked together with what they say."""
