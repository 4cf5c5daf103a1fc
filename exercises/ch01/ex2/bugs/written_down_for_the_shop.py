# loses hidden: other programs
def which_run(fetch, fed):
    needs = {
        "net": ["price", "pieces"],
        "tax": ["net", "tax/y"],
        "gross": ["net", "tax"],
        "reduced": ["net", "reduced/y"],
        "count": ["sold", "pieces"],
        "receipt": ["gross", "valid"],
        "valid": ["price"],
        "sold/read": ["sold"],
        "sold/Assign": ["sold", "sold/initial_value"],
    }
    done = {op.name for op in fed}
    names, front = set(), [fetch.name]
    while front:
        name = front.pop()
        if name not in done:
            names.add(name)
            front += needs.get(name, [])
    return names
