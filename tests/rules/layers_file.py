"""Reads LAYERS. A line that begins with a blank continues the one before."""


def read_layers(root):
    """Returns what each folder may include, the folders that may include mpi.h, and those that may throw and catch."""
    allowed, mpi, exceptions = {}, [], []
    for line in (root / "LAYERS").read_text().replace("\n ", " ").splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        folder, others = (part.strip() for part in line.split(":"))
        if folder == "mpi":
            mpi = others.split()
        elif folder == "exceptions":
            exceptions = others.split()
        else:
            allowed[folder] = others.split()
    return allowed, mpi, exceptions
