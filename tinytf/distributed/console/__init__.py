"""Cells of a notebook in the processes of tasks: what stands behind `%%task`."""
