"""Functions: `Defun`, the nodes that call them, their gradients; and Python functions as nodes."""
