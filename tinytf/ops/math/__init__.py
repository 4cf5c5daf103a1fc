"""Element by element: arithmetic, powers, comparisons; special/ has erf, gamma …."""
