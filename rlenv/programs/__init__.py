"""What can be read off a Python program without running it."""
