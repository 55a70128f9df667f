"""One rollout: its tensors, how it is drawn, judged and measured."""
