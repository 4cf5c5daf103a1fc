"""Special functions: error, gamma, Bessel and others, by series and tables."""
