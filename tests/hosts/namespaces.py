#!/usr/bin/env python3
"""Runs three hosts on one machine: a rank of `neighbors` on each, over TCP, untraced and then traced.

    front (mpirun) --- bridge --+-- eth0 birch: rank 0
                                +-- eth0 cedar: rank 1
                                +-- eth0 maple: rank 2

Each host is a set of unnamed namespaces: network, host name, System V memory, and mounts with a separate /etc/hosts,
/sys and /dev/shm. The front's set is that of this script (see runs.enclose). The set of each other host is held by a
process that waits for the end of this script. The launchers enter a host through a script that they take for ssh. Like
ssh it passes no environment on.
All hosts have the same clock, so by `tactus clocks` every rank must be on time.
"""
import argparse
import shutil
import socket
import subprocess
import sys

import runs
from harness import skip  # runs has put its folder on the path

front, hosts = "front", ["birch", "cedar", "maple"]
network = "10.231.67"  # it exists in these network namespaces alone, so it disturbs nobody
addresses = {name: f"{network}.{number}" for number, name in enumerate([front, *hosts], 1)}
sent_bytes = 10_000  # a rank sends the others at least this

remote_shell = """\
#!/bin/sh
# HOST COMMAND... as ssh has it, without options.
while [ "${1#-}" != "$1" ]; do shift; done
read -r pid <"%s/$1.pid" || exit 255
shift
exec env -i PATH="$PATH" HOME="$HOME" TMPDIR="%s" \\
    nsenter --target "$pid" --net --uts --ipc --mount --root --wd sh -c "$*"
"""


def do(*words):
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)


def try_devices():
    """Tries to make a pair of network devices, which a kernel may lack even where it allows namespaces."""
    if shutil.which("ip") is None:
        skip("ip (iproute2) is not installed")
    probe = subprocess.run(["ip", "link", "add", "probe", "type", "veth", "peer", "name", "eborp"], capture_output=True,
                           text=True)
    if probe.returncode != 0:
        skip(f"no pair of network devices can be made here: {probe.stderr.strip()}")
    do("ip", "link", "delete", "probe")


class Hosts:
    """The hosts live as long as this object, and no longer than this process."""
    def __init__(self, folder):
        self.holders = []
        names = folder / "hosts"
        names.write_text("127.0.0.1 localhost\n"
                         + "".join(f"{address} {name}\n" for name, address in addresses.items()))
        do("mount", "--bind", names, "/etc/hosts")
        socket.sethostname(front)
        do("ip", "link", "set", "lo", "up")
        do("ip", "link", "add", "bridge", "type", "bridge")
        do("ip", "address", "add", f"{addresses[front]}/24", "dev", "bridge")
        do("ip", "link", "set", "bridge", "up")
        for name in hosts:
            self.add(folder, name)

    def add(self, folder, name):
        commands = ["mount -t sysfs sysfs /sys", "mount -t tmpfs tmpfs /dev/shm", f"hostname {name}",
                    "ip link set lo up",
                    "echo", "read -r _", f"ip address add {addresses[name]}/24 dev eth0", "ip link set eth0 up", "echo",
                    "exec cat"]
        holder = subprocess.Popen(["unshare", "--net", "--uts", "--ipc", "--mount", "sh", "-ec", "\n".join(commands)],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.holders.append(holder)
        self.wait_until_done(holder, name)
        do("ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", str(holder.pid))
        do("ip", "link", "set", name, "master", "bridge", "up")
        holder.stdin.write(b"\n")
        holder.stdin.flush()
        self.wait_until_done(holder, name)
        (folder / f"{name}.pid").write_text(f"{holder.pid}\n")

    @staticmethod
    def wait_until_done(holder, name):
        if holder.stdout.readline() != b"\n":
            sys.exit(f"FAILED: the host {name} could not be made")

    @staticmethod
    def received_bytes():
        """Returns how many bytes came over each host's wire. It asks ip, since /sys shows the machine's devices."""
        received = {}
        for name in hosts:
            lines = subprocess.run(["ip", "-s", "link", "show", name], check=True, capture_output=True,
                                   text=True).stdout.splitlines()
            received[name] = int(lines[lines.index(next(line for line in lines if "RX:" in line)) + 1].split()[0])
        return received

    def end(self):
        for holder in self.holders:
            holder.communicate()


def launch(mpi, shell, program):
    """Returns the words of a launch with a rank on each host."""
    words = {
        # ob1 is chosen because UCX, which Open MPI may also have, would not use Open MPI's own TCP. Each host believes
        # that it has all cores, so ranks must be told to yield.
        "openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--host", ",".join(hosts), "--mca", "plm_rsh_agent", shell,
                    "--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", f"{network}.0/24",
                    "--mca", "oob_tcp_if_include", f"{network}.0/24", "--mca", "mpi_yield_when_idle", "1"],
        "mpich": ["mpirun.mpich", "-launcher", "ssh", "-launcher-exec", shell, "-hosts", ",".join(hosts), "-localhost",
                  front, "-genv", "UCX_TLS", "tcp,self", "-genv", "UCX_NET_DEVICES", "eth0"],
    }[mpi]
    return [*words, "-n", str(runs.ranks), program]


def check_seen(test, made, seen, before):
    test.expect([seen[rank].host for rank in range(runs.ranks)] == hosts, f"each rank is on its host: {seen}")
    test.expect(all(one.sharing == 1 for one in seen.values()), f"for the MPI no two ranks share memory: {seen}")
    received = {name: after - before[name] for name, after in made.received_bytes().items()}
    test.expect(all(count > sent_bytes for count in received.values()), f"the messages went over the wires: {received} "
                                                                        f"bytes")
    print(f"bytes from each host: {received}")


def check_clocks(test, trace):
    """All hosts have one kernel's clock, so whatever is measured is an error of the measurement."""
    clocks = test.clocks(trace)
    for rank, one in enumerate(clocks["ranks"]):
        test.expect(one["host"] == hosts[rank], f"of rank {rank} the host is known: {one}")
        test.expect(abs(one["offset_ns"]) <= max(one["half_width_worst_ns"], 1000),
                    f"rank {rank} is on time, within its own bounds: {one}")
        doubt_ppm = 1e-3 * (one["half_width_start_ns"] + one["half_width_end_ns"]) / 2  # the run takes about 2 s
        test.expect(abs(one["drift_ppm"]) < max(2, doubt_ppm), f"rank {rank} keeps it: {one}")
    test.expect_order(trace, clocks)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--mpi", "--tactus", "--programs"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    why = runs.enclose("--net", "--uts", "--ipc")
    if why is not None:
        skip(f"no namespaces can be made here: {why}")
    with runs.Runs(options) as test:
        try_devices()
        made = Hosts(test.folder)
        words = launch(options.mpi, test.script("remote_shell", remote_shell % (test.folder, test.folder)),
                       test.program)
        environment = {"VT_TIMER": "CLOCK_MONOTONIC", "VT_SYNCED_HOST": "off"}
        before = made.received_bytes()
        check_seen(test, made, test.run(words), before)
        before = made.received_bytes()
        seen, trace = test.traced(words, environment)
        check_seen(test, made, seen, before)
        test.check_whole(trace, hosts)
        check_clocks(test, trace)
        made.end()
    print("three hosts: as it should be")


if __name__ == "__main__":
    main()
