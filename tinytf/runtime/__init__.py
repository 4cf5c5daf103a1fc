"""How a step runs; the modules in the order in which to read them.

pruning     which operations do the fetches need?
preparation from a request to the graph that is compiled: pruned, placed, optimised, cut
partition   ... a Send and a Recv wherever a tensor leaves its device; late_receives: not too early
frames      which loop does each operation belong to?
segments    which operations run, or are skipped, together? lanes: on which device
layout      the units that come of it, and where their values lie
codegen     a segment as straight-line Python; chunks: its lines, code_writer: as loops have them
loops       which loops can be written as Python loops, conditionals and loops in them included?
loop_order  ... under which conditions is each operation in them, and what comes after what?
loop_code   ... the code
plan        all of it as one executable plan, made once per signature
compiler    how such a plan is made
iterations  what exists only while a step runs: frames, iterations, counters
executor    the step itself, on one thread
parallel_executor  ... on several; pools: whose threads; intra_op: those that share one kernel
learning    what is expensive, so that it is worth a thread
timed       a step with a deadline; stragglers: kernels that go on after the end of their step
tracing     what ran when and where; step_stats: in TensorFlow's words
"""
