"""What a traced step did and when: from `StepStats` to activities, rows, and Chrome's trace format.

activities    which node ran when, on which row, and who gave it what
reading       `StepStats` into activities
clocks        the clocks of several tasks, brought together
rows          on which row of its device an activity is shown
counts        nodes that are ready, memory that is in use
chrome_trace  `Timeline`: JSON for Perfetto and chrome://tracing

`runtime/tracing.py` notes the times while a step runs. Programs for TensorFlow find `Timeline`
where it is there, in `tinytf.python.client.timeline`.
"""
