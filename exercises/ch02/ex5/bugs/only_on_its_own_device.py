# loses: who reads on another device gets a copy
def copied(use, home, at, numbers):
    return 0 if home == at else "refused"
