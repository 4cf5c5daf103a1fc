"""For instructors: a course of nbgrader's, made from the exercises (docs/instructors.md).

`source_notebooks` makes what nbgrader releases, `submissions` and `preprocessors` what it does with
what is handed in, `settings` its nbgrader_config.py; `course` is what `tinytf grade` calls.
"""
