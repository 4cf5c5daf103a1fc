"""What a graph is: types, shapes, tensors, operations, scopes, registries, GraphDef in and out.

Nothing in this package runs anything; nothing here knows a single operation by more than its name.
"""
