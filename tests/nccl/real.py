#!/usr/bin/env python3
"""Tests real NCCL on a real GPU: a communicator of one rank that sends to itself, and two ranks on one GPU where this
NCCL can do that.   real.py --build DIRECTORY

Skipped (77) with a reason where there is no GPU or no NCCL. NCCL's functions are called by their C interface.
"""
import argparse
import ctypes
import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import launchers  # noqa: E402
from harness import skip, skipped  # noqa: E402

int8, float32, plus = 0, 7, 0  # ncclInt8, ncclFloat32, ncclSum


def load(names, what):
    for name in names:
        try:
            return ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
        except OSError:
            continue
    skip(f"{what} is not here ({', '.join(names)})")


def check(result, what):
    if result != 0:
        raise SystemExit(f"FAILED: {what} gives {result}")


class Gpu:
    """CUDA and NCCL."""

    def __init__(self):
        load(["libcuda.so.1"], "a driver for GPUs")
        self.cuda = load(["libcudart.so", "libcudart.so.13", "libcudart.so.12", "/usr/local/cuda/lib64/libcudart.so"],
                         "CUDA's runtime")
        count = ctypes.c_int()
        if self.cuda.cudaGetDeviceCount(ctypes.byref(count)) != 0 or count.value == 0:
            skip("no GPU")
        self.nccl = load([os.environ.get("TACTUS_TEST_NCCL", "libnccl.so.2"), "/usr/local/cuda/lib64/libnccl.so.2"],
                         "NCCL")
        version = ctypes.c_int()
        check(self.nccl.ncclGetVersion(ctypes.byref(version)), "ncclGetVersion")
        self.version = version.value
        if self.version < 22602:
            skip(f"NCCL {self.version} is older than 2.26.2")

    def memory(self, size):
        pointer = ctypes.c_void_p()
        check(self.cuda.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(size)), "cudaMalloc")
        return pointer

    def stream(self):
        stream = ctypes.c_void_p()
        check(self.cuda.cudaStreamCreate(ctypes.byref(stream)), "cudaStreamCreate")
        return stream

    def communicators(self, devices):
        comms = (ctypes.c_void_p * len(devices))()
        result = self.nccl.ncclCommInitAll(comms, len(devices), (ctypes.c_int * len(devices))(*devices))
        return result, [ctypes.c_void_p(comm) for comm in comms]


def to_itself(rounds=20, size=1 << 20):
    gpu = Gpu()
    result, (comm,) = gpu.communicators([0])
    check(result, "ncclCommInitAll of one rank")
    source, target, stream = gpu.memory(size), gpu.memory(size), gpu.stream()
    for _ in range(rounds):
        check(gpu.nccl.ncclGroupStart(), "ncclGroupStart")
        check(gpu.nccl.ncclSend(source, ctypes.c_size_t(size), int8, 0, comm, stream), "ncclSend")
        check(gpu.nccl.ncclRecv(target, ctypes.c_size_t(size), int8, 0, comm, stream), "ncclRecv")
        check(gpu.nccl.ncclGroupEnd(), "ncclGroupEnd")
        check(gpu.cuda.cudaStreamSynchronize(stream), "cudaStreamSynchronize")
    check(gpu.nccl.ncclCommDestroy(comm), "ncclCommDestroy")
    print(json.dumps({"version": gpu.version, "rounds": rounds}))


def two_ranks(rounds=50, count=1 << 18):
    gpu = Gpu()
    result, comms = gpu.communicators([0, 0])
    if result != 0:
        skip(f"NCCL {gpu.version} does not take two ranks on one GPU (it gives {result})")
    buffers = [(gpu.memory(4 * count), gpu.memory(4 * count), gpu.stream()) for _ in comms]
    for _ in range(rounds):
        check(gpu.nccl.ncclGroupStart(), "ncclGroupStart")
        for comm, (source, target, stream) in zip(comms, buffers):
            check(gpu.nccl.ncclAllReduce(source, target, ctypes.c_size_t(count), float32, plus, comm, stream),
                  "ncclAllReduce")
        check(gpu.nccl.ncclGroupEnd(), "ncclGroupEnd")
        for *_, stream in buffers:
            check(gpu.cuda.cudaStreamSynchronize(stream), "cudaStreamSynchronize")
    for comm in comms:
        check(gpu.nccl.ncclCommDestroy(comm), "ncclCommDestroy")
    print(json.dumps({"version": gpu.version, "rounds": rounds}))


def traced(binaries, program, folder):
    """Returns what the program prints and what nccl_check counts in its trace; None when it was skipped."""
    environment = os.environ | {"VT_LOGFILE_NAME": program, "VT_NCCL_CUPTI": "on", "NCCL_MULTI_RANK_GPU_ENABLE": "1",
                                "NCCL_MAX_CTAS": "4"}
    command = [binaries / "tactus", "run", "--nccl", sys.executable, pathlib.Path(__file__).resolve(), "--program",
               program]
    done = launchers.ask(command, cwd=folder, env=environment)
    print(done.stdout)
    if done.returncode == skipped:
        return None
    if done.returncode != 0:
        raise SystemExit(f"FAILED: {program} ends with {done.returncode}:\n{done.stderr}")
    seen = launchers.ask([binaries / "nccl_check", f"{program}.tactus"], cwd=folder)
    print(seen.stdout, seen.stderr)
    if seen.returncode != 0:
        raise SystemExit("FAILED: nccl_check")
    told, seen = json.loads(done.stdout.splitlines()[-1]), json.loads(seen.stdout)
    if told["version"] >= 22800 and has_cupti(binaries) and seen.get("kind kernel", 0) != seen["kind kernel_launch"]:
        raise SystemExit(f"FAILED: {seen['kind kernel_launch']} launches: {seen}")
    return told, seen


def has_cupti(binaries):
    if b"built without CUPTI" in (binaries.parent / "lib/libnccl-profiler-tactus.so").read_bytes():
        return False
    for name in ("libcupti.so.13", "libcupti.so.12", "/usr/local/cuda/lib64/libcupti.so.13",
                 "/usr/local/cuda/lib64/libcupti.so.12"):
        try:
            ctypes.CDLL(name)
            return True
        except OSError:
            continue
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--program", choices=["to_itself", "two_ranks"], help="what the test starts under tactus")
    options = parser.parse_args()
    if options.program:
        return {"to_itself": to_itself, "two_ranks": two_ranks}[options.program]()
    Gpu()
    with tempfile.TemporaryDirectory() as folder:
        binaries = options.build.resolve() / "bin"
        outcome = traced(binaries, "to_itself", folder)
        told, seen = outcome
        rounds = told["rounds"]
        if seen.get("kind p2p", 0) != 2 * rounds or seen.get("enqueue-only", 0) < 2 * rounds:
            raise SystemExit(f"FAILED: {rounds} sends and receives to itself: {seen}")
        if seen["lost nccl_invalid"] + seen["lost nccl_dropped"] > 0:
            raise SystemExit(f"FAILED: losses: {seen}")
        outcome = traced(binaries, "two_ranks", folder)
        if outcome:
            told, seen = outcome
            if seen.get("kind coll", 0) != 2 * told["rounds"] or seen.get("full", 0) < told["rounds"]:
                raise SystemExit(f"FAILED: {told['rounds']} AllReduces of two ranks: {seen}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
