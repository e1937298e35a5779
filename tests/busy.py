"""Runs tests beside processes that never wait: none may depend on how busy the machine is.
tools/test busy [--runs N] [--anew] [PRESET ...]

Each test that `tools/test` runs, in the build in which it runs it, must pass five times beside four spinning
processes. How often each has passed or was skipped, and how it failed, is written into build/busy.json after every
test, so that the next call goes on where this one was stopped. A test that failed is not run again in the same call.
--anew forgets what was run before. The presets are release, asan, tsan and fuzz; all of them by default.
"""
import argparse
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

root = pathlib.Path(__file__).resolve().parents[1]
record = root / "build" / "busy.json"
spinners = 4
# As in tools/test. The thread sanitizer needs its fixed addresses, which much randomization takes away.
chosen = {"fuzz": ["-L", "fuzz"], "tsan": ["-L", "unit|mpi|nccl"], "asan": ["-L", "unit|mpi|faults|nccl"],
          "release": ["-LE", "^sanitized$"]}
configured = {"tsan": ["-DTACTUS_WIDE=OFF"], "asan": ["-DTACTUS_WIDE=OFF"]}
before = {"tsan": ["setarch", platform.machine(), "-R"]}
variables = {"tsan": {"TSAN_OPTIONS": "halt_on_error=1"}}


def build(preset):
    quiet = {"cwd": root, "check": True, "stdout": subprocess.DEVNULL}
    subprocess.run(["cmake", "--preset", preset, *configured.get(preset, [])], **quiet)
    subprocess.run(["cmake", "--build", "--preset", preset], **quiet)


def names_of(preset):
    shown = subprocess.run(["ctest", "--preset", preset, "--show-only=json-v1", *chosen[preset]], cwd=root,
                           capture_output=True, text=True, check=True)
    return [test["name"] for test in json.loads(shown.stdout)["tests"]]


def run(preset, names, all_names):
    """Runs tests beside spinning processes. Yields the name of each that ended, and "passed", "skipped" or "failed";
    what a failed one said is on the output."""
    words = [*before.get(preset, []), "ctest", "--preset", preset, "-j", str(8 * os.cpu_count()), *chosen[preset]]
    if len(names) < len(all_names):
        words += ["-R", f"^({'|'.join(map(re.escape, names))})$"]
    spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(spinners)]
    try:
        with subprocess.Popen(words, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", env={**os.environ, **variables.get(preset, {})}) as tests:
            failing = False
            for line in tests.stdout:
                ended = re.match(r"\s*\d+/\d+ Test\s+#\d+: (\S+) \.*\s*(Passed|\*\*\*\S+)", line)
                if ended or re.match(r"\s+Start +\d+:", line):
                    failing = False
                if ended:
                    how = {"Passed": "passed", "***Skipped": "skipped"}.get(ended[2], "failed")
                    failing = how == "failed"
                    yield ended[1], how
                if failing:
                    print(line, end="", flush=True)
    finally:
        for process in spinning:
            process.kill()
            process.wait()


def write(results):
    """A reader, and a call that is killed meanwhile, find the record whole."""
    fresh = record.with_suffix(".new")
    fresh.write_text(json.dumps(results, indent=1))
    fresh.replace(record)


def commit():
    done = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=root, capture_output=True, text=True,
                          check=False)
    return done.stdout.strip()


def runs_without_failure(of_test):
    return of_test.get("passed", 0) + of_test.get("skipped", 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("preset", nargs="*", help=", ".join(chosen))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--anew", action="store_true")
    options = parser.parse_args()
    if unknown := set(options.preset) - set(chosen):
        parser.error(f"there is no preset {', '.join(unknown)}; the presets are {', '.join(chosen)}")
    if options.anew:
        record.unlink(missing_ok=True)
    results = json.loads(record.read_text()) if record.exists() else {}
    failed = []
    for preset in options.preset or chosen:
        build(preset)
        of_preset = results.setdefault(preset, {})
        all_names = names_of(preset)
        while names := [name for name in all_names if (preset, name) not in failed
                        and runs_without_failure(of_preset.get(name, {})) < options.runs]:
            begun, ended = time.monotonic(), 0
            for name, how in run(preset, names, all_names):
                ended += 1
                of_test = {"passed": 0, "skipped": 0, "failed": [], **of_preset.get(name, {})}
                of_preset[name] = of_test
                if how != "failed":
                    of_test[how] += 1
                else:
                    of_test["failed"].append(f"{time.strftime('%F %T')}, {commit()}")
                    failed.append((preset, name))
                write(results)
            print(f"{preset}: {ended} of {len(names)} tests, {time.monotonic() - begun:.0f} s", flush=True)
            if ended == 0:
                sys.exit(f"busy: ctest ran none of {names}")
    passes = sum(of_test["passed"] for of_preset in results.values() for of_test in of_preset.values())
    print(f"{passes} passes are in {record}; failed in this call: "
          + (", ".join(f"{name} ({preset})" for preset, name in failed) or "none"))
    print("only ever skipped: " + (", ".join(
        f"{name} ({preset})" for preset, of_preset in results.items() for name, of_test in of_preset.items()
        if not of_test["passed"] and of_test.get("skipped")) or "none"))
    return int(bool(failed))


sys.exit(main())
