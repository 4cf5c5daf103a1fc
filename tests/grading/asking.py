"""A small file of questions, one of each kind."""

QUESTIONS = """
[twice]
question = "How many elements leave the queue?"
choices = ["1", "2", "3"]
why = "An operation runs **once** in a step."
because.3 = "Each use would have to run it again."

[fed]
question = "What does the run give?"
why = "Nothing was fed."
[fed.choices]
"6.0" = "six"
"InvalidArgumentError" = "an error"

[count]
question = "How many operations?"
number = "operations"
tolerance = 0.5
why = "A constant and a sum."

[order]
question = "In which order?"
order = { put = "put in", take = "taken out", close = "closed" }
why = "First in, first out."

[last]
question = "Which operation runs last?"
operations = 1
why = "Nothing waits for it."
"""


def write_questions(folder, chapter="ch03", text=QUESTIONS):
    """Write them for a chapter of the course in `folder`; returns the file."""
    path = folder / chapter / "predictions.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
