"""tinytf: TensorFlow 1.x's graph runtime, small enough to read. `import tinytf as tf`."""

__version__ = "0.1.0"
