"""What the master and the worker of a task share: the local runtime, and the other tasks."""
