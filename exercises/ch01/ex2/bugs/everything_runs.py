# loses: what the fetch does not need does not run
def which_run(fetch, fed):
    return {op.name for op in fetch.graph.get_operations() if op not in fed}
