"""The worker: parts of steps, and tensors on their way between tasks."""
