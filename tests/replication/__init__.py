"""The four programs of notebooks/replication, over real processes."""
