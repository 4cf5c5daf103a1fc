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

Nothing here reads a clock but `rates.measure_cpu`, and nothing is random: the same work on the
same machine always takes the same virtual time.
"""
