"""From a judged rollout to changed weights: advantages, and the step that a row takes."""
