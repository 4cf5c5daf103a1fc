"""Behaviour: small questions that both libraries answer, TensorFlow's answers recorded.

Conformance cases (tests/conformance) compare what graphs compute; these compare everything
around it: names, types, shapes, scopes, feeds, fetches, and what errors say.

A question is a function of `tf` that returns a dictionary of answers:

    @question
    def constants(tf):
        return {
            "a float": tf.constant(1.5),
            "nothing": says("None values not supported.", tf.constant, None),
        }

It runs in a fresh graph, with either library. `says(phrase, function, ...)` stands for what a call
raises: its class, and whether its message has the phrase a user would search for. Where tinytf
differs on purpose, the family's module has the answer and the reason in `DIFFERENCES`.

    python3 scripts/oracle/record_behaviour.py [family ...]

asks TensorFlow and writes recorded/<family>.json, which the tests compare with.
"""
