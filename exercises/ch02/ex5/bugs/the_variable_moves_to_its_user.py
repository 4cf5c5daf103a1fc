# loses: who reads on another device gets a copy
def copied(use, home, at, numbers):
    return "refused" if use == "between" and home != at else 0
