"""Kernels of the CPU that cut their work into blocks: what a block needs stays in a core's cache.

How it is cut depends on the shapes alone, and `run(count, work)`, their last argument, says who
takes the blocks: the calling thread, or several of the intra-op pool (`tinytf.kernels.sharding`).
"""
