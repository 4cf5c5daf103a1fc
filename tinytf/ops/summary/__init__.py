"""The operations that make summaries for TensorBoard."""
