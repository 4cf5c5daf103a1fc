"""Hidden checks of ch01.ex1."""

import numpy as np
from exercise_checks import built, started

from tinytf.grading import Wrong, point


@point("vectors of other lengths are welcome, and numbers that are not whole", 1)
def other_vectors(answer):
    x, cheap, expensive, count = built(answer)
    with started(count) as session:
        for values in ([0.5], [], [-1.5, 0.25, 3.0, 4.0, -5.0]):
            try:
                got = session.run([cheap, expensive], {x: values})
            except ValueError as error:
                refused = str(error).splitlines()[0]
                raise Wrong(
                    f"x does not take a vector of {len(values)} numbers: {refused}",
                    hint="shape=[None] means: one dimension, of any size",
                ) from None
            for name, wanted, one in (
                ("cheap", 2 * np.asarray(values), got[0]),
                ("expensive", np.square(values), got[1]),
            ):
                if not np.allclose(one, wanted):
                    raise Wrong(
                        f"{name} is wrong for x = {values}",
                        wanted.tolist(),
                        np.asarray(one).tolist(),
                    )


@point("a run that fetches both counts once, and so does one that needs expensive for more", 1)
def once_for_each_run(answer):
    x, cheap, expensive, count = built(answer)
    more = expensive + cheap * expensive
    with started(count) as session:
        for what, fetches, wanted in (
            ("[cheap, expensive]", [cheap, expensive], 1),
            ("what is built from expensive", more, 2),
            ("cheap", cheap, 2),
            ("expensive twice over", [expensive, more, expensive], 3),
        ):
            session.run(fetches, {x: [1.0, 2.0]})
            got = session.run(count)
            if got != wanted:
                raise Wrong(f"count is off after a run that fetched {what}", wanted, got)
