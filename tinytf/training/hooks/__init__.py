"""What runs beside training: session hooks, one subject a file."""
