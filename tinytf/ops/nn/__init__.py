"""What neural networks are made of: further activations, normalisation, embeddings, windows."""
