"""tf.data: input pipelines that are part of the graph.

`dataset` has the class `Dataset` with its sources and transformations, `iterator` the class
`Iterator`, `structure` the nested elements, `functions` the tracing of what users write for map.
Mirrors tensorflow/python/data.

As they run: datasets describe, iterators produce.

    Dataset --iterate(context)--> Stage: its `next()` gives one element, a tuple of values

An edge of type `variant` carries a `Dataset`, which never changes. Iterating makes a tree of
*stages*, one for each dataset, each of which pulls from those before it, on the thread that asks
for an element. The end is StopIteration. Threads exist only where the user asked for them
(prefetch, parallel map, parallel interleave), and end with the stage that owns them.
"""
