"""Arrays taken apart and put together: shapes, slices, pieces, places."""
