"""What a run is told: its config, how it computes, and how one setting is changed by its path."""
