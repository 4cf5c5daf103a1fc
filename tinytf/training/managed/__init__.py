"""Sessions that make themselves ready, recover, and call hooks."""
