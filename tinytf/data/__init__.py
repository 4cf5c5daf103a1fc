"""tf.data: input pipelines that are part of the graph. Mirrors tensorflow/python/data.

Each transformation, and each source, has one file, named like the method: what it does when it
runs, its op, and the method itself, all on one screen. `dataset` puts the methods together.

    base, cards, structure, functions   what these files share
    stages, workers, parallel           what runs: stages, and the threads of some
    iterator, optional                  what gives elements to a program

As they run: datasets describe, iterators produce.

    DatasetValue --iterate(context)--> Stage: its `next()` gives one element, a tuple of values

An edge of type `variant` carries a `DatasetValue`, which never changes. Iterating makes a tree of
*stages*, one for each dataset, each of which pulls from those before it, on the thread that asks
for an element. The end is StopIteration. Threads exist only where the user asked for them
(prefetch, parallel map, parallel interleave), and end with the stage that owns them.
"""
