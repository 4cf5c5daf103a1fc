"""What a cluster is: its tasks, their names, addresses and ports, and what is said about them."""
