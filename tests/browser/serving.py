"""What the browser tests share: traces, what `tactus` itself says of them, the server, and a browser that asks it."""
import contextlib
import csv
import fcntl
import io
import json
import os
import pathlib
import re
import selectors
import shutil
import signal
import subprocess
import time

import launchers
from harness import expect

here = pathlib.Path(__file__).resolve().parent
playwright = "playwright-core@1.48.2"  # the last that runs on Debian's Node 18
dump_line = re.compile(r"(\S+) rank (\d+) lane (\d+)  (MPI_\w+) +([\d.]+) (ns|us|ms|s)\b *(.*)")
units = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def tactus(options, *words, status=0):
    words = [options.tactus, *map(os.fspath, words)]
    done = launchers.ask(words)
    expect(status is None or done.returncode == status,
           f"{words} ends with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def trace_of(options, folder, words, ranks, name="it", status=0):
    """Runs a program traced with Open MPI. With `status` None it may end in any way."""
    command = launchers.command("openmpi", ranks, [str(word) for word in words])
    outcome = launchers.run([options.tactus, "run", *command], folder, {"VT_LOGFILE_NAME": name})
    expect(status is None or outcome.status == status, f"{words} traced", outcome)
    return folder / f"{name}.tactus"


def lammps(options, folder, ranks=4, name="melt"):
    melt = here.parents[1] / "bench" / "melt.lmp"
    return trace_of(options, folder, ["lmp", "-in", melt, "-log", "none"], ranks, name)


def truth(options, trace, status=0):
    """Returns what the other commands say of the trace, with which the page is compared."""
    calls = []
    for line in tactus(options, "dump", trace, status=status).splitlines():
        found = dump_line.match(line)
        if found:
            begin, rank, lane, function, length, unit, text = found.groups()
            calls.append({"begin_s": float(begin), "rank": int(rank), "lane": int(lane), "function": function,
                          "length_s": float(length) * units[unit], "slack_s": 2e-9 + 0.001 * units[unit], "text": text})
    table = tactus(options, "export", "--csv=messages", trace, "-", status=status)
    messages = [{"from": int(row["sender"]), "to": int(row["receiver"]), "sent_s": float(row["sent_s"]),
                 "received_s": float(row["received_s"]), "bytes": int(row["bytes"]), "tag": int(row["tag"])}
                for row in csv.DictReader(io.StringIO(table))]
    report = json.loads(tactus(options, "report", "--json", trace, status=status))
    return {"name": trace.name, "calls": calls, "messages": messages, "report": report}


@contextlib.contextmanager
def served(options, *traces):
    """Starts `tactus view` of the traces; holds its process and the address that it prints."""
    words = [options.tactus, "view", *map(os.fspath, traces)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            with selectors.DefaultSelector() as ready:
                ready.register(process.stdout, selectors.EVENT_READ)
                expect(ready.select(launchers.patience_s), "tactus view prints its address")
            address = process.stdout.readline().decode().strip()
            expect(re.fullmatch(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", address), f"the address: {address!r}")
            yield process, address
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=launchers.patience_s)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


def peak_mib(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024


def lacking():
    """Returns why nothing can be tested here, or an empty string."""
    for name in "chromium", "node", "npm":
        if shutil.which(name) is None:
            return f"there is no {name} here; tools/install --test installs it"
    return ""


def modules(build):
    """Returns the folder of the build with playwright-core, which drives the browser. It is fetched once."""
    folder = build / "tests" / "browser"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "installing", "w", encoding="ascii") as one_at_a_time:
        fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
        if not (folder / "node_modules" / "playwright-core" / "package.json").is_file():
            words = ["npm", "install", "--prefix", folder, "--no-save", "--no-package-lock", "--ignore-scripts",
                     "--no-audit", "--no-fund"]
            done = launchers.ask([*words, playwright])
            expect(done.returncode == 0, f"npm installs {playwright}: {done.stdout}{done.stderr}")
    return folder


def browse(options, case, address, known):
    """Runs CASE.mjs with the address and what is known of the traces."""
    folder = modules(options.build)
    screenshots = folder / "screenshots"
    screenshots.mkdir(exist_ok=True)
    for old in screenshots.glob(f"{case}-*.png"):
        old.unlink()
    about = {"case": case, "address": address, "modules": f"{folder}/", "chromium": shutil.which("chromium"),
             "screenshots": str(screenshots), "truth": known}
    told = folder / f"{case}.json"
    told.write_text(json.dumps(about), encoding="utf-8")
    begin = time.monotonic()
    done = launchers.ask(["node", here / f"{case}.mjs", told])
    print(done.stdout, end="")
    expect(done.returncode == 0, f"{case}.mjs ends with {done.returncode}\n{done.stderr}")
    pictures = sorted(path.name for path in screenshots.glob(f"{case}-*.png"))
    expect(pictures, "there are screenshots")
    print(f"{time.monotonic() - begin:.1f} s in the browser; {screenshots}: {', '.join(pictures)}")
