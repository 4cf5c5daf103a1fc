"""Why something waits, and whether anybody can end it: `tf.why_stuck()` and its reports.

producers   the QueueRunners that could serve a wait
threads     which threads matter, and what they wait for that does not tell
picture     who waits for what at one moment, and who could end it
texts       what is said about it
stuck       `why_stuck()`, and when a wait is reported
remote      waits on other tasks, on their way to whoever asks

What waits is noted in `framework/waiting.py`, which knows this package by a hook alone.
"""
