"""Hidden checks of ch05.ex1."""

from exercise_checks import A_FEW, balanced, part_shapes

from tinytf.grading import Wrong, point

#: Few rows, and nearly all of the bytes.
WIDE = {"out": [64, 10], "wide": [60, 4000], "bias": [4000]}
#: Long and light: many rows say nothing about bytes.
LIGHT = {"long": [900], "a": [20, 150], "b": [20, 150], "c": [20, 150]}
#: One has 38 percent.
THREE = {"b": [31, 10], "a": [38, 10], "c": [31, 10]}


@point("other models: bytes count, not rows", 1)
def other_models(answer):
    for shapes in (WIDE, LIGHT, dict(reversed(WIDE.items()))):
        variables = balanced(answer, shapes, 0.45, "which ones are too large, by their bytes?")
    if (parts := len(part_shapes(variables["bias"]))) > A_FEW:
        raise Wrong("a small vector was cut into many parts", f"a few, {A_FEW} at most", parts)


@point("another share than 40 percent", 1)
def another_share(answer):
    balanced(answer, THREE, 0.36, "what is too large depends on `most`")
    balanced(answer, THREE, 0.45, "what is too large depends on `most`")
