"""Where operations run, and why."""
