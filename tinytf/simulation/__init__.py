"""Virtual time: a graph of work on devices, run without running it.

In the order to read them:

work       what is to be done: nodes, what each costs where, what they pass on
machine    on what: devices with their memories, links between them
execution  when: the simulated execution, as a timeline
memory     how much memory that takes at the same time
search     where: a greedy walk, and moves that make the execution shorter
clusters   ... another start: whole chains, dealt out to the devices
rates      how fast devices and links are: assumed, or measured
amounts    how much a TensorFlow operation has to do, from its type and shapes
measured   what operations really took, from traces of steps
costs      all of these together, and a TensorFlow graph as work

Data-parallel training on many machines, in the order to read it:

stragglers        how machines differ: distributions, and their seed
sharding          which parameter server has which variable
training_cluster  a cluster in a few numbers
training_loop     what happens next, until there were enough steps
training_accounts what is written down of it; training_result: what comes out
experiments       held against published figures, which are in published
own_cluster       calibrated on one worker of this machine

Nothing here reads a clock but `rates.measure_cpu`, and nothing is random but from a
seed: the same work on the same machine always takes the same virtual time.
"""
