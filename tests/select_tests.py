"""Says which tests a name means, and which targets they need.   select_tests.py BUILD NAME...

A name is that of a test (unit.base), of a room or a folder of unit tests (postproc, postproc/lod), or a regular
expression that is searched in the names of the tests. It prints CTest's expression for all of them on one line, and the
targets on the next.
"""
import json
import pathlib
import re
import subprocess
import sys


def matching(name, tests):
    if name in tests:
        return [name]
    room = "unit." + name.strip("/").replace("/", ".").removeprefix("tests.unit.")
    of_room = [test for test in tests if test == room or test.startswith(room + ".")]
    return of_room or [test for test in tests if re.search(name, test)]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1])
    shown = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, capture_output=True, text=True, check=True)
    tests = [test["name"] for test in json.loads(shown.stdout)["tests"]]
    needed = json.loads((build / "test_targets.json").read_text())
    chosen = []
    for name in sys.argv[2:]:
        found = matching(name, tests)
        if not found:
            sys.exit(f"select_tests.py: no test is called {name}; `ctest -N` in {build} lists them")
        chosen += found
    targets = {target for test in chosen for target in needed.get(test, ["all"])}
    print("^(" + "|".join(re.escape(test) for test in dict.fromkeys(chosen)) + ")$")
    print(" ".join(sorted(targets)))


main()
