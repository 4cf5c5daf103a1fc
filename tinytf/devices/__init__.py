"""Devices: the CPU, CUDA cards, simulated GPUs; their memory."""
