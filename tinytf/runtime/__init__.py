"""How a step runs; the modules in the order in which to read them.

pruning     which operations do the fetches need?
frames      which loop does each operation belong to?
segments    which operations run, or are skipped, together?
codegen     a segment as straight-line Python
loops       which loops can be written as Python loops, conditionals and loops in them included?
loop_order  ... under which conditions is each operation in them, and what comes after what?
loop_code   ... the code
plan        all of it as one executable plan, made once per signature
compiler    how such a plan is made
iterations  what exists only while a step runs: frames, iterations, counters
executor    the step itself
"""
