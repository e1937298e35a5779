"""Holds the clocks of a trace against the truth, which is known since all ranks run on one machine."""
import json

import launchers
from harness import expect


class TrueClocks:
    """`tactus`: the command, `truth`: the program clock_truth (tests/clocks/truth.cpp)."""

    def __init__(self, tactus, truth):
        self.tactus, self.program = tactus, truth

    def stated(self, trace):
        """Returns what `tactus clocks --json` says."""
        return json.loads(run([self.tactus, "clocks", trace, "--json"]))

    def truth(self, trace, *words):
        """Returns by rank and for `all`: max_ns, rms_ns, median_ns, median_half_width_ns, inside."""
        lines = [json.loads(line) for line in run([self.program, trace, *words]).splitlines()]
        print(trace.name, *words, lines[-1])
        return {line["rank"]: line for line in lines}

    def within(self, trace, curved_ns=0, fit=()):
        """Expects that no clock is further from the truth than its stated bound or than its rounds allow, whichever is
        more. `curved_ns`: how far a clock may wander between rounds. One stamp in a thousand may be further off, since
        before the first round the stated width is no bound. Returns the truth for all ranks."""
        allowed = bound_ns(self.stated(trace)["ranks"]) + curved_ns
        truth = self.truth(trace, "--bound", allowed, *fit)["all"]
        expect(truth["inside"] >= 0.999, f"{trace.name}: more than {allowed} ns off: {truth}")
        return truth


def bound_ns(ranks):
    """Returns how far a clock may be off, by the widest rounds of the ranks on its way to the reference: they were as
    quick as the machine let them be. A curve through points that are that far off may be twice as far off between
    them."""
    found = []
    for one in ranks:
        own = [measured["bound_ns"] for measured in one["rounds"] if not measured["rejected"]]
        found.append((found[one["master"]] if one["relation"] != "reference" else 0) + 2 * max(own, default=0))
    return max(found)


def run(words):
    done = launchers.ask(words)
    expect(done.returncode == 0, f"{words} ends with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout
