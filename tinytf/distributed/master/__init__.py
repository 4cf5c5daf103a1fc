"""The master: sessions of clients, cut into parts that tasks run."""
