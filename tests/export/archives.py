"""What an OTF2 archive holds, as otf2-print shows it and as python3-otf2 reads it: both have to find the same."""
import collections
import re

import launchers
from harness import expect


def printed(archive, *words):
    done = launchers.ask(["otf2-print", *words, archive / "traces.otf2"])
    expect(done.returncode == 0 and "error" not in done.stderr, f"otf2-print {archive}: {done.stderr}")
    return done.stdout


event_names = {  # of otf2-print
    "ENTER": "Enter", "LEAVE": "Leave", "MPI_SEND": "MpiSend", "MPI_ISEND": "MpiIsend", "MPI_RECV": "MpiRecv",
                 "MPI_IRECV": "MpiIrecv",
    "MPI_ISEND_COMPLETE": "MpiIsendComplete", "MPI_IRECV_REQUEST": "MpiIrecvRequest",
                 "MPI_COLLECTIVE_BEGIN": "MpiCollectiveBegin",
    "MPI_COLLECTIVE_END": "MpiCollectiveEnd", "METRIC": "Metric", "MPI_REQUEST_CANCELLED": "MpiRequestCancelled",
    "NON_BLOCKING_COLLECTIVE_REQUEST": "NonBlockingCollectiveRequest",
                 "NON_BLOCKING_COLLECTIVE_COMPLETE": "NonBlockingCollectiveComplete",
}


def counted_by_print(archive):
    """Events by kind, calls by function, bytes: as otf2-print shows them; the time of a location must not run back."""
    kinds, calls, last, moved = collections.Counter(), collections.Counter(), {}, collections.Counter()
    entered = None
    for line in printed(archive).splitlines():
        several = re.match(r'\s+ADDITIONAL ATTRIBUTES:.*"calls" <\d+>; UINT64; (\d+)', line)
        if several:
            calls[entered] += int(several[1]) - 1
        words = line.split(None, 3)
        if not words or words[0] not in event_names:
            expect(not re.match(r"[A-Z_]{4,} +\d+ +\d+", line), f"an event that this test does not know: {line}")
            continue
        kind, location, time, rest = event_names[words[0]], *words[1:3], words[3] if len(words) > 3 else ""
        kinds[kind] += 1
        expect(int(time) >= last.get(location, 0), f"{line}: behind {last.get(location)}")
        last[location] = int(time)
        if kind == "Enter":
            entered = re.match(r'Region: "(.*)" <', rest)[1]
            calls[entered] += 1
        for way, pattern in ("sent", r"Sent: (\d+)"), ("received", r"Received: (\d+)"):
            if kind in ("MpiCollectiveEnd", "NonBlockingCollectiveComplete"):
                moved[way] += int(re.search(pattern, rest)[1])
        if kind in ("MpiSend", "MpiIsend", "MpiRecv", "MpiIrecv"):
            moved["sent" if "send" in kind.lower() else "received"] += int(re.search(r"Length: (\d+)", rest)[1])
    return kinds, calls, moved


def counted_by_python(archive):
    """The same as python3-otf2 reads them."""
    import otf2
    kinds, calls, last, moved = collections.Counter(), collections.Counter(), {}, collections.Counter()
    with otf2.reader.open(str(archive / "traces.otf2")) as opened:
        for location, event in opened.events:
            kind = type(event).__name__
            kinds[kind] += 1
            expect(event.time >= last.get(location, 0),
                   f"{kind} on {location}: {event.time} behind {last.get(location)}")
            last[location] = event.time
            if kind == "Enter":
                attributes = {attribute.name: value for attribute, value in (event.attributes or {}).items()}
                calls[event.region.name] += attributes.get("calls", 1)
            if kind in ("MpiSend", "MpiIsend"):
                moved["sent"] += event.msg_length
            if kind in ("MpiRecv", "MpiIrecv"):
                moved["received"] += event.msg_length
            if kind in ("MpiCollectiveEnd", "NonBlockingCollectiveComplete"):
                moved["sent"] += event.size_sent
                moved["received"] += event.size_received
    return kinds, calls, moved


def counted(archive):
    found = counted_by_print(archive)
    # It cannot read definitions of intercommunicators (python3-otf2 3.0.2).
    if "INTER_COMM" not in printed(archive, "-G"):
        by_python = counted_by_python(archive)
        expect(found == by_python, f"otf2-print finds {found}, python3-otf2 {by_python}")
    return found
