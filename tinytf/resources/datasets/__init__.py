"""The input pipelines of tf.data, as they run: datasets describe, iterators produce.

    Dataset --iterate(context)--> Stage: its `next()` gives one element, a tuple of values

An edge of type `variant` carries a `Dataset`, which never changes. Iterating makes a tree of
*stages*, one for each dataset, each of which pulls from those before it, on the thread that asks
for an element. The end is StopIteration. Threads exist only where the user asked for them
(prefetch, parallel map, parallel interleave), and end with the stage that owns them.

Read in this order: `dataset` (the base, and what a stage is), `sources`, `transformations`,
`functions` (map, filter, flat_map), `shuffling`, `iterator` (the resource that sessions hold).
"""
