# loses: what the fetch does not need does not run
def which_run(fetch, fed):
    return {fetch.name, *(tensor.op.name for tensor in fetch.inputs if tensor.op not in fed)}
