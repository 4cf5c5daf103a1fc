"""Which kernels a device has: what differs from the CPU."""
