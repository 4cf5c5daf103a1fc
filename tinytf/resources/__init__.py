"""State that outlives a step: containers and what they hold."""
