"""Traces of tactus in Python: their tables as pandas frames, and regions of a Python program in its own trace.

    import tactus
    trace = tactus.open("app.tactus")
    trace.messages().groupby(["sender", "receiver"]).bytes.sum()

    with tactus.region("solve"):      # in a program that `tactus run` runs; anywhere else it does nothing
        ...

No build: this folder on PYTHONPATH is all there is to it. Frames need pandas and the command `tactus`, regions neither.
"""
from .regions import region
from .traces import Trace, TraceError, TraceWarning, open_trace

open = open_trace

__all__ = ["Trace", "TraceError", "TraceWarning", "open", "region"]
