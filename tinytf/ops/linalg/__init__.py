"""Linear algebra: products, decompositions, systems of equations, norms."""
