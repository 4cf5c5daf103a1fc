"""Random numbers: from nodes with seeds, without, and stateless ones."""
