# loses: what the fetch does not need does not run
def which_run(fetch, fed):
    names = set()
    for op in fetch.graph.get_operations():
        if op not in fed:
            names.add(op.name)
        if op is fetch:
            return names
