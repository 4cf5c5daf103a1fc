"""Hidden checks of ch02.ex2."""

import numpy as np
from exercise_checks import ONE_ROW, arrived_in, built

from tinytf.grading import Wrong, point


@point("it is the chosen rows that count, each as often as it is chosen", 1)
def other_numbers(answer):
    rows, table, score, session = built(answer)
    with session:
        numbers = np.arange(10000, dtype=np.float32)[:, None] % 10 * np.ones([1, 64], np.float32)
        table.load(numbers, session)
        for chosen in ([7], [1, 2, 3], [9999, 4, 4, 4], [5] * 20):
            wanted = float(np.square(numbers[chosen]).sum())
            got = session.run(score, {rows: chosen})
            if got != wanted:
                raise Wrong(f"score is wrong for rows {chosen}", wanted, got)


@point("one row more costs one row more", 1)
def other_bytes(answer):
    rows, _, score, session = built(answer)
    with session:
        for count in (1, 100):
            carried = sum(arrived_in(session, score, {rows: list(range(count))}).values())
            most = count * ONE_ROW + 1024
            if not ONE_ROW * count <= carried <= most:
                what = f"bytes carried to the GPU when rows={count}"
                raise Wrong(what, count * ONE_ROW, carried)
