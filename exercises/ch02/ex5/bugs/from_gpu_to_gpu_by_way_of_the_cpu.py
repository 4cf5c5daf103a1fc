# loses: who reads on another device gets a copy
def copied(use, home, at, numbers):
    if home == at:
        return 0
    if use == "between":
        return "refused"
    ways = 1 if "/cpu:0" in (home, at) else 2
    return ways * (4 if use == "sum" else 4 * numbers)
