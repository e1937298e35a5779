"""Runs tests beside processes that never wait: none may depend on how busy the machine is.
tools/test busy [--runs N] [--anew] [PRESET ...]

A part is one label of one preset, as far as `tools/test` runs it: what the address sanitizer's build ran is not run
again in the release build. Each part runs five times beside four spinning processes. After each run the result
is written into build/busy.json, so that the next call goes on where this one was stopped. A run that fails is written
down, too, but does not count. --anew forgets what was run before. The presets are release, asan, tsan and fuzz; all of
them by default.
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
parts_of = {"fuzz": "fuzz", "tsan": "unit|mpi|nccl", "asan": "unit|mpi|faults|nccl", "release": ".*"}
left_out = {"release": "sanitized"}  # what the address sanitizer's build runs
configured = {"tsan": ["-DTACTUS_WIDE=OFF"], "asan": ["-DTACTUS_WIDE=OFF"]}
before = {"tsan": ["setarch", platform.machine(), "-R"]}
variables = {"tsan": {"TSAN_OPTIONS": "halt_on_error=1"}}


def labels_of(preset):
    shown = subprocess.run(["ctest", "--preset", preset, "--show-only=json-v1"], cwd=root, capture_output=True,
                           text=True, check=True)
    found = set()
    for test in json.loads(shown.stdout)["tests"]:
        labels = [label for item in test["properties"] if item["name"] == "LABELS" for label in item["value"]]
        if left_out.get(preset) not in labels:
            found |= {label for label in labels if re.fullmatch(parts_of[preset], label)}
    return sorted(found - {"sanitized"})  # a part of two others


def build(preset):
    quiet = {"cwd": root, "check": True, "stdout": subprocess.DEVNULL}
    subprocess.run(["cmake", "--preset", preset, *configured.get(preset, [])], **quiet)
    subprocess.run(["cmake", "--build", "--preset", preset], **quiet)


def run(preset, label):
    """Runs a part once, and returns what is written down of it."""
    words = [*before.get(preset, []), "ctest", "--preset", preset, "-j", str(8 * os.cpu_count()), "-L", f"^{label}$"]
    if preset in left_out:
        words += ["-LE", f"^{left_out[preset]}$"]
    spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(spinners)]
    begun = time.monotonic()
    try:
        done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False,
                              env={**os.environ, **variables.get(preset, {})})
    finally:
        for process in spinning:
            process.kill()
            process.wait()
    summary = re.search(r"(\d+)% tests passed, (\d+) tests? failed out of (\d+)", done.stdout)
    failed = re.findall(r"^\s+\d+ - (\S+) \(", done.stdout, re.M)
    return {"passed": done.returncode == 0 and summary is not None, "tests": int(summary[3]) if summary else 0,
            "failed": failed, "seconds": round(time.monotonic() - begun), "commit": commit(),
            "ended": time.strftime("%F %T"), "output": "" if done.returncode == 0 else done.stdout[-20000:]}


def commit():
    done = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=root, capture_output=True, text=True,
                          check=False)
    return done.stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("preset", nargs="*", choices=[[], *parts_of])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--anew", action="store_true")
    options = parser.parse_args()
    if options.anew:
        record.unlink(missing_ok=True)
    runs = json.loads(record.read_text()) if record.exists() else {}
    failures = 0
    for preset in options.preset or parts_of:
        build(preset)
        for label in labels_of(preset):
            of_part = runs.setdefault(f"{preset} {label}", [])
            while sum(one["passed"] for one in of_part) < options.runs:
                of_part.append(run(preset, label))
                record.write_text(json.dumps(runs, indent=1))
                last = of_part[-1]
                print(f"{preset:8} {label:10} run {len(of_part)}: {last['tests']} tests, {last['seconds']} s, "
                      + ("all pass" if last["passed"] else f"failed: {', '.join(last['failed'])}"), flush=True)
                if not last["passed"]:
                    failures += 1
                    break  # go on with the other parts; the next call runs this one again
    passed = sum(one["passed"] for part in runs.values() for one in part)
    print(f"{passed} runs passed, {failures} failed in this call; each is in {record}")
    return int(failures > 0)


sys.exit(main())
