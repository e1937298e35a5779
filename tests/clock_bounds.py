"""What the rounds of a run, which were as quick as its machine let them be, say of its clocks."""


def bound_ns(ranks):
    """Returns how far a clock may be off, by the widest rounds of the ranks on its way to the reference. A curve
    through points that are that far off may be twice as far off between them."""
    found = []
    for one in ranks:
        own = [measured["bound_ns"] for measured in one["rounds"] if not measured["rejected"]]
        found.append((found[one["master"]] if one["relation"] != "reference" else 0) + 2 * max(own, default=0))
    return max(found)
