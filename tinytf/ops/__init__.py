"""Operations, as cards by family; see `tinytf.framework.op_card`. Importing this loads them all.

constants, filling, ranges, grids ...     arrays that are there from the start
arithmetic, powers, comparison ...        element by element; special/ has erf, gamma and the like
shapes, slicing, gathering, joining ...   arrays taken apart and put together
reduction, segments, sorting ...          many numbers to fewer
matrix, linalg/                           products, systems, decompositions
activations, softmax, nn/                 neural networks
strings/  random/                         texts; random numbers
variables/  training/                     state, and the steps of optimizers
control_flow/  functions/                 conditionals, loops; functions and their calls
gradients, hessians, custom_gradient      differentiation
checks, debugging, summaries              what looks on while a step runs
"""
