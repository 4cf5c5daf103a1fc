"""tf.data: input pipelines that are part of the graph.

`dataset` has the class `Dataset` with its sources and transformations, `iterator` the class
`Iterator`, `structure` the nested elements, `functions` the tracing of what users write for map.
What runs is in `resources/datasets`, the ops in `ops/data`. Mirrors tensorflow/python/data.
"""
