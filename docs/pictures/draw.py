#!/usr/bin/env python3
"""Draws the pictures of the documents, as SVG files beside this script.

Usage: draw.py           writes every picture anew
       draw.py --check   writes nothing; exits with status 1 if a file is not what would be written

Each picture is one function below, which places its parts on a light sheet with absolute coordinates. The sheet has a
background of its own, so that it reads the same on a light and on a dark page.
"""
import html
import pathlib
import struct
import sys

folder = pathlib.Path(__file__).resolve().parent
ink, gray, pale, paper = "#1f2933", "#66727f", "#d5dbe1", "#fafbfc"
blue, green, orange, red, purple = "#2f6fb3", "#3a8a5f", "#c4741a", "#c03a3a", "#7a55a8"
tints = {blue: "#d3e3f4", green: "#d3ecdf", orange: "#f8e2c6", red: "#f6d3d3", purple: "#e4d9f2", gray: "#e9edf1"}
font = "DejaVu Sans, Verdana, Arial, sans-serif"


class Sheet:
    """A picture under way. Lengths are in pixels, y grows downward."""

    def __init__(self, width, height, title):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'role="img" font-family="{font}" font-size="13">', f"<title>{html.escape(title)}</title>",
            '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" '
            f'patternTransform="rotate(45)"><rect width="6" height="6" fill="{tints[red]}"/>'
            f'<line x1="0" y1="0" x2="0" y2="6" stroke="{red}" stroke-width="2"/></pattern></defs>']
        self.box(0, 0, width, height, fill=paper, line=pale, round_by=8)

    def box(self, x, y, width, height, fill="none", line="none", round_by=2):
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round_by}" '
                          f'fill="{fill}" stroke="{line}"/>')

    def text(self, x, y, words, color=ink, size=13, anchor="start", bold=False):
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}" fill="{color}" font-size="{size}" text-anchor="{anchor}"{weight}>'
                          f"{html.escape(words)}</text>")

    def line(self, x1, y1, x2, y2, color=ink, width=1.5, dashed=False):
        dashes = ' stroke-dasharray="4 4"' if dashed else ""
        self.parts.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{color}" '
                          f'stroke-width="{width:g}"{dashes}/>')

    def arrow(self, x1, y1, x2, y2, color=ink, width=1.5, dashed=False):
        """A line with a head at its second end."""
        length = ((x2 - x1)**2 + (y2 - y1)**2)**0.5
        along_x, along_y = (x2 - x1) / length, (y2 - y1) / length
        back_x, back_y = x2 - 10 * along_x, y2 - 10 * along_y
        self.line(x1, y1, back_x, back_y, color, width, dashed)
        self.parts.append(f'<polygon points="{x2:.1f},{y2:.1f} {back_x - 4 * along_y:.1f},{back_y + 4 * along_x:.1f} '
                          f'{back_x + 4 * along_y:.1f},{back_y - 4 * along_x:.1f}" fill="{color}"/>')

    def span(self, x1, x2, y, words, color=ink, below=True):
        """A horizontal measure from x1 to x2 with its name."""
        for x in (x1, x2):
            self.line(x, y - 5, x, y + 5, color)
        self.line(x1, y, x2, y, color)
        self.text((x1 + x2) / 2, y + (18 if below else -8), words, color, anchor="middle")

    def bar(self, x1, x2, y, color, words="", height=22):
        """A stretch of time, named inside."""
        self.box(x1, y, x2 - x1, height, fill=tints[color], line=color)
        if words:
            self.text((x1 + x2) / 2, y + height / 2 + 4.5, words, size=12, anchor="middle")

    def wait(self, x1, x2, y, height=22):
        self.box(x1, y, x2 - x1, height, fill="url(#hatch)", line=red)

    def finished(self):
        return "\n".join(self.parts) + "\n</svg>\n"


def clock_exchange():
    s = Sheet(760, 430, "One exchange between a rank and its master, and how far the offset of their clocks may be off")
    rank_y, master_y, sent, asked, received = 170, 70, 230, 400, 580
    for y, name in ((master_y, "master's clock"), (rank_y, "rank's clock")):
        s.text(24, y + 4, name, bold=True)
        s.arrow(140, y, 736, y, gray)
    s.arrow(sent, rank_y, asked, master_y, blue)
    s.arrow(asked, master_y, received, rank_y, blue)
    s.text(sent + 60, 118, "request", blue, anchor="end")
    s.text(received - 62, 118, "answer", blue)
    s.text(asked, master_y - 14, "master = 5,430 ns", anchor="middle")
    s.text(sent, rank_y + 24, "sent = 100 ns", anchor="middle")
    s.text(received, rank_y + 24, "received = 800 ns", anchor="middle")
    s.span(sent, received, rank_y + 46, "round trip 700 ns: the master looked at its clock at some moment in here")
    middle, scale, y = 405, 0.5, 310
    s.arrow(140, y, 736, y, gray)
    s.text(24, y - 4, "offset", bold=True)
    s.text(24, y + 13, "master - rank", gray, size=12)
    low, high = middle - 350 * scale, middle + 350 * scale
    s.box(low, y - 12, high - low, 24, fill=tints[blue], line=blue)
    s.box(middle - 56 * scale, y - 12, 112 * scale, 24, fill=tints[orange], line=orange)
    s.line(middle, y - 18, middle, y + 18, ink, 2)
    s.text(low, y - 20, "5,430 - 800 = 4,630 ns", blue, anchor="middle")
    s.text(high, y - 20, "5,430 - 100 = 5,330 ns", blue, anchor="middle")
    s.text(middle, y - 24, "4,980 ns", anchor="middle", bold=True)
    s.span(low, middle, y + 36, "the bound: 350 ns to each side", blue)
    s.span(middle, middle + 56 * scale, y + 78, "", orange)
    s.text(middle + 56 * scale + 12, y + 82, "the half-width: 16 % of the bound, 56 ns,", orange)
    s.text(middle + 56 * scale + 12, y + 99, "plus what the page says below", orange)
    return s


def correction():
    s = Sheet(760, 420, "A message that arrives before it was sent, and the same events after the correction")
    before = {"a": 170, "b": 270, "receive": 370, "c": 470, "d": 580, "e": 690}
    after = {"a": 170, "b": 298, "receive": 430, "c": 518, "d": 612, "e": 704}
    send = 430
    for top, places, name in ((50, before, "as measured"), (240, after, "corrected")):
        wrong = places is before
        s.text(24, top - 18, name, bold=True)
        for y, rank in ((top + 20, "rank 0"), (top + 90, "rank 1")):
            s.text(24, y + 4, rank)
            s.arrow(90, y, 744, y, gray)
        s.line(send, top + 12, send, top + 28, ink, 2)
        s.text(send + 8, top + 10, "send")
        for event, x in places.items():
            s.line(x, top + 82, x, top + 98, ink, 2)
            s.text(x, top + (72 if wrong and event != "receive" else 115), event, anchor="middle")
    for event in before:
        s.line(before[event], 172 if event == "receive" else 150, after[event], 320, pale if event == "a" else purple,
               1.5, True)
    s.arrow(send, 70, before["receive"], 136, red, 2)
    s.arrow(send, 260, after["receive"], 326, green, 2)
    s.text(send + 14, 96, "the message arrives before it was sent", red)
    s.box(send + 10, 285, 246, 20, fill=paper)
    s.text(send + 14, 300, "the receive is moved to the send", green)
    s.text(298, 380, "stretched up to the receive", purple, anchor="middle", size=12)
    s.line(170, 388, 426, 388, purple)
    s.text(580, 380, "shifted, by less and less", purple, anchor="middle", size=12)
    s.line(434, 388, 704, 388, purple)
    s.text(24, 408, "Rank 0 does not move. Event a does not either: it is far enough before the receive.", gray,
           size=12)
    return s


def slots():
    s = Sheet(760, 330, "What a thread did, and the one function that is shown of each slot")
    left, width, count = 130, 84, 7

    def at(slot):
        return left + width * slot

    colors = {"a": gray, "b": blue, "c": orange, "d": green}
    pieces = [("a", 0, 0.6), ("b", 0.6, 1.25), ("a", 1.25, 1.5), ("c", 1.5, 4.2), ("a", 4.2, 4.75), ("d", 4.75, 4.9),
              ("a", 4.9, 5.2), ("d", 5.2, 5.9)]
    for slot in range(count + 1):
        s.line(at(slot), 46, at(slot), 216, pale, 1, True)
    for slot in range(count):
        s.text(at(slot + 0.5), 38, f"slot {slot}", gray, anchor="middle", size=12)
    s.text(24, 84, "the thread", bold=True)
    for name, begin, end in pieces:
        s.bar(at(begin), at(end), 64, colors[name], name, 30)
    s.text(24, 154, "the most time")
    for slot, words in enumerate(("a 60 %", "c 50 %", "c 100 %", "c 100 %", "a 65 %", "d 70 %", "-")):
        s.text(at(slot + 0.5), 154, words, anchor="middle", size=12)
    s.text(24, 196, "the picture", bold=True)
    for name, begin, end in (("a", 0, 1), ("c", 1, 4), ("a", 4, 5), ("d", 5, 6)):
        s.bar(at(begin), at(end), 176, colors[name], name, 30)
    s.span(at(1.5), at(4.2), 118, "", orange)
    s.text(at(2.85), 112, "one call, longer than a slot", orange, anchor="middle", size=12)
    for y, words in ((244, "Slots 1 to 3 are one, because in each of them most time belongs to the same long call."),
                     (264, "The answer also gives the exact begin and end of that call. It does not win slot 4."),
                     (284, "In slot 1 function b had 25 %, a had 25 %: neither is shown, both count in the totals."),
                     (304, "In slot 6 nothing was traced, so nothing is shown.")):
        s.text(24, y, words, gray, size=12)
    return s


def wire_forms():
    s = Sheet(760, 420, "What is on the wire for a message of each size, with VT_PIGGYBACK=on")
    s.text(24, 34, "size in bytes", bold=True)
    s.text(180, 34, "the program's message", bold=True)
    s.text(470, 34, "a message of tactus's own", bold=True)
    s.line(24, 44, 736, 44, pale)

    def cells(x, y, parts):
        for words, width, color in parts:
            s.box(x, y, width, 34, fill=tints[color], line=color)
            s.text(x + width / 2, y + 22, words, size=12, anchor="middle")
            x += width

    rows = ((64, "4, and 8 to 2,048", "with a header", [("header 32", 80, blue), ("data", 150, gray)], []),
            (150, "0 to 7, but not 4", "header beside it", [("data", 44, gray)], [("header 32", 80, blue)]),
            (236, "2,049 to 2,080", "side message", [("mark, 4 to 39", 130, orange)],
             [("header 32", 80, blue), ("mark", 62, orange), ("data", 110, gray)]),
            (322, "more", "bare", [("data", 270, gray)], []))
    for y, size, form, own, other in rows:
        s.text(24, y + 15, size, bold=True)
        s.text(24, y + 34, form, gray, size=12)
        cells(180, y, own)
        cells(470, y, other)
        s.line(24, y + 62, 736, y + 62, pale)
    s.arrow(310, 253, 466, 253, orange, dashed=True)
    s.text(388, 272, "finds it", orange, anchor="middle", size=12)
    s.text(268, 170, "in the order of sending", gray, size=12)
    s.text(470, 342, "none; it brings no delay", gray, size=12)
    s.text(470, 84, "none", gray, size=12)
    s.text(24, 406, "2,048 is VT_PIGGYBACK_COPY_MAX. Every length on the wire stands for exactly one size.", gray,
           size=12)
    return s


block_fields = (("magic", "4s", blue), ("version", "H", gray), ("kind", "B", orange), ("packing", "B", green),
                ("lane", "I", purple), ("records", "I", blue), ("sequence", "Q", gray), ("first", "Q", orange),
                ("last", "Q", green), ("calls", "Q", purple), ("lost", "Q", gray), ("content size", "Q", blue),
                ("payload size", "Q", orange), ("job", "Q", green), ("checksum", "Q", purple))
kind_colors = {1: ("header", purple), 2: ("records", orange), 3: ("definitions", blue), 4: ("index", green),
               5: ("time line", gray)}


def blocks_of(data):
    """Offset, kind and size of each block of a rank file that has a tail."""
    found, offset = [], 0
    while offset < len(data) - 16:
        size = 88 + (struct.unpack_from("<Q", data, offset + 64)[0] + 7) // 8 * 8
        found.append((offset, data[offset + 6], size))
        offset += size
    return found


def block_strip(s, data, blocks, y):
    """The blocks in their order and proportion, and the colors of their kinds; returns pixels a byte."""
    x, scale = 24, 712 / len(data)
    for name, color in list(kind_colors.values()) + [("tail", red)]:
        s.box(x, y, 12, 12, fill=red if name == "tail" else tints[color], line=color)
        s.text(x + 18, y + 11, name, size=12)
        x += 118
    for offset, kind, size in blocks:
        color = kind_colors[kind][1]
        s.box(24 + offset * scale, y + 30, size * scale, 34, fill=tints[color], line=color)
    s.box(24 + (len(data) - 16) * scale, y + 30, 16 * scale, 34, fill=red, line=red)
    return scale


def header_cells(s, header, top):
    """The 88 bytes of a block header, 16 to a row, each field with its name and value."""
    cell, place = 44.5, 0
    for name, code, color in block_fields:
        size = struct.calcsize("<" + code)
        value = struct.unpack_from("<" + code, header, place)[0]
        x, y = 24 + place % 16 * cell, top + place // 16 * 66
        s.box(x, y, size * cell, 58, fill=tints[color], line=color)
        for i in range(size):
            s.text(x + (i + 0.5) * cell, y + 17, f"{header[place + i]:02x}", anchor="middle", size=12)
        s.text(x + size * cell / 2, y + 34, "pack." if name == "packing" else name, anchor="middle", size=12, bold=True)
        shown = value.decode() if code == "4s" else f"{value:#018x}" if name == "checksum" else f"{value:,}"
        s.text(x + size * cell / 2, y + 50, shown, anchor="middle", size=11)
        place += size
    s.text(24 + 8.4 * cell, top + 5 * 66 + 24, "88 bytes; the payload follows.", gray, size=12)


def rank_file():
    data = (folder.parent / "tutorial/heat.tactus/ranks/000/rank-000000.trace").read_bytes()
    blocks = blocks_of(data)
    zoomed = next(offset for offset, kind, _ in blocks if kind == 2)
    s = Sheet(760, 566, "The blocks of a rank file, and the bytes of the header of its record block")
    s.text(24, 30, f"docs/tutorial/heat.tactus/ranks/000/rank-000000.trace, {len(data):,} bytes", bold=True)
    scale = block_strip(s, data, blocks, 46)
    s.line(24 + zoomed * scale, 110, 24, 156, orange, 1, True)
    s.line(24 + (zoomed + 88) * scale, 110, 736, 156, orange, 1, True)
    s.text(392, 148, f"the header of the record block, from offset {zoomed:,} on", orange, anchor="middle", size=12)
    header_cells(s, data[zoomed:zoomed + 88], 156)
    return s


wait_row = 38


def wait_panel(s, x, y, title, rows, messages):
    """A small time line: rows of (rank, [(what, begin, end, words)]), arrows of (begin, end, row, row)."""
    s.text(x, y, title, bold=True)
    for number, (rank, pieces) in enumerate(rows):
        top = y + 12 + wait_row * number
        s.text(x, top + 16, rank, gray, size=12)
        s.line(x + 56, top + 11, x + 336, top + 11, gray, 1)
        for what, begin, end, words in pieces:
            if what == "wait":
                s.wait(x + 56 + begin, x + 56 + end, top)
            else:
                s.bar(x + 56 + begin, x + 56 + end, top, blue if what == "call" else orange, words)
    for begin, end, upper, lower in messages:
        down = lower > upper
        s.arrow(x + 56 + begin, y + 12 + wait_row * upper + (22 if down else 0), x + 56 + end,
                y + 12 + wait_row * lower + (0 if down else 22), ink, 1.2)


wait_panels = (
    ("late sender", [("rank 0", [("late", 110, 190, "Send")]),
                     ("rank 1", [("wait", 30, 110, ""), ("call", 110, 210, "Recv")])], [(110, 110, 0, 1)]),
    ("messages in wrong order", [("rank 0", [("call", 20, 84, "Send A"), ("late", 130, 194, "Send B")]),
                                 ("rank 1", [("wait", 50, 130, ""), ("call", 130, 190, "Recv B"),
                                             ("call", 200, 270, "Recv A")])],
     [(84, 226, 0, 1), (150, 150, 0, 1)]),
    ("late receiver", [("rank 0", [("wait", 30, 130, ""), ("call", 130, 220, "Send")]),
                       ("rank 1", [("late", 130, 230, "Recv")])], [(130, 130, 1, 0)]),
    ("wait at barrier, at all-to-all, at fence",
     [("rank 0", [("wait", 30, 150, ""), ("call", 150, 230, "Barrier")]),
      ("rank 1", [("wait", 80, 150, ""), ("call", 150, 230, "Barrier")]),
      ("rank 2", [("late", 150, 230, "Barrier")])], [(150, 150, 2, 1)]),
    ("wait at scan, for neighbors", [("rank 0", [("late", 120, 200, "Scan")]),
                                     ("rank 1", [("wait", 40, 120, ""), ("call", 120, 220, "Scan")]),
                                     ("rank 2", [("call", 190, 260, "Scan")])], [(120, 120, 0, 1)]),
    ("early reduce", [("root", [("wait", 30, 150, ""), ("call", 150, 240, "Reduce")]),
                      ("rank 1", [("call", 70, 140, "Reduce")]),
                      ("rank 2", [("late", 150, 220, "Reduce")])], [(150, 150, 2, 0)]),
    ("late broadcast", [("root", [("late", 130, 200, "Bcast")]),
                        ("rank 1", [("wait", 30, 130, ""), ("call", 130, 220, "Bcast")]),
                        ("rank 2", [("wait", 90, 130, ""), ("call", 130, 220, "Bcast")])],
     [(130, 130, 0, 1)]),
    ("late complete", [("origin 1", [("call", 50, 120, "Complete")]),
                       ("origin 2", [("late", 140, 210, "Complete")]),
                       ("target", [("wait", 30, 140, ""), ("call", 140, 220, "Win_wait")])], [(140, 140, 1, 2)]),
    ("wait for lock", [("rank 0", [("call", 20, 70, "lock"), ("late", 140, 210, "unlock")]),
                       ("rank 1", [("wait", 50, 140, ""), ("call", 140, 240, "Win_lock")])], [(140, 140, 0, 1)]),
    ("wait at MPI_Finalize", [("rank 0", [("wait", 40, 170, ""), ("call", 170, 250, "Finalize")]),
                              ("rank 1", [("late", 170, 250, "Finalize")])], [(170, 170, 1, 0)]))


def wait_classes():
    pairs = zip(wait_panels[::2], wait_panels[1::2])
    heights = [max(len(left[1]), len(right[1])) * wait_row + 40 for left, right in pairs]
    s = Sheet(760, sum(heights) + 58, "The kinds of waits on a time line")
    for x, color, words in ((24, blue, "in the call"), (170, orange, "the call that ends the wait")):
        s.bar(x, x + 26, 16, color, height=16)
        s.text(x + 34, 29, words, size=12)
    s.wait(400, 426, 16, 16)
    s.text(434, 29, "waiting", size=12)
    y = 66
    for row, height in enumerate(heights):
        for column in range(2):
            title, rows, messages = wait_panels[2 * row + column]
            wait_panel(s, 24 + 366 * column, y, title, rows, messages)
        y += height
    return s


pictures = {"clock_exchange": clock_exchange, "correction": correction, "slots": slots, "wire_forms": wire_forms,
            "rank_file": rank_file, "wait_classes": wait_classes}


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    different = []
    for name, draw in pictures.items():
        path, drawn = folder / f"{name}.svg", draw().finished()
        if check:
            if not path.exists() or path.read_text(encoding="utf-8") != drawn:
                different.append(path.name)
        else:
            path.write_text(drawn, encoding="utf-8")
    for name in different:
        print(f"docs/pictures/{name} is not what docs/pictures/draw.py draws; run it")
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
