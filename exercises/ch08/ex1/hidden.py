"""Hidden checks of ch08.ex1: other files, other headings, more epochs."""

from exercise_checks import given

from tinytf.grading import Wrong, point

#: Two files have nothing but a heading; the first has the fewest lines.
FILES = {"kiel": 2, "ulm": 6, "bonn": 1, "jena": 4, "": 1, "x": 3}


@point("other files and headings, also files that are nothing but a heading", 3)
def other_files(answer):
    wanted = sorted(f"{name}{n}" for name, count in FILES.items() for n in range(1, count))
    for heading, together, turn in (("", 1, 2), ("0", 2, 4), (" # temperature", 6, 3)):
        got = given(answer, list(FILES), together, turn, 1, FILES, heading)
        if sorted(got) != wanted:
            raise Wrong(
                f"files with the heading {'NAME' + heading!r}, {together} together: other "
                "lines come",
                wanted,
                sorted(got),
            )


#: (together, turn) -> the order of the lines of FILES without those of "ulm".
ORDERS = {(2, 1): "kiel1 jena1 jena2 x1 jena3 x2", (3, 2): "kiel1 jena1 jena2 x1 x2 jena3"}


@point("the order of other files", 2)
def other_orders(answer):
    names = [name for name in FILES if name != "ulm"]
    for (together, turn), order in ORDERS.items():
        got = given(answer, names, together, turn, 1, FILES, "0")
        if got != order.split():
            raise Wrong(
                f"{together} files together, turns of {turn}: another order", order.split(), got
            )


@point("other numbers of epochs", 2)
def other_epochs(answer):
    for epochs, together, turn in ((3, 2, 1), (5, 4, 2)):
        once = given(answer, "cabe", together, turn, 1)
        got = given(answer, "cabe", together, turn, epochs)
        if got != once * epochs or len(once) != 10:
            raise Wrong(f"{epochs} epochs, {together} files together", once * epochs, got)
