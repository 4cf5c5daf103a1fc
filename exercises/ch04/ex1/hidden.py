"""Hidden checks of ch04.ex1."""

import numpy as np
from exercise_checks import check_bytes, check_total

from tinytf.grading import point

#: A smaller shop: 2000 prices, 55 articles (220 bytes), the same one often.
FEW_PRICES = (np.arange(2000) % 31).astype(np.float32)
FEW = (np.arange(55) % 7 * 211 % 2000).astype(np.int32)


@point("another shop, a smaller basket: the total is right", 1)
def small_basket(answer):
    check_total(answer, FEW, FEW_PRICES, "few")


@point("another shop, a smaller basket: little travels", 1)
def few_bytes(answer):
    check_bytes(answer, FEW.nbytes + 4, FEW, FEW_PRICES, "few")
