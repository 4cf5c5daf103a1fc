"""Linear algebra: decompositions, systems of equations, contractions, norms."""
