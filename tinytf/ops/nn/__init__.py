"""Neural networks: activations, convolution, pooling, normalisation, embeddings, losses."""
