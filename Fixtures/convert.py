#!/usr/bin/env python3
"""Makes the tables and the expected figures of this folder from the packages that README.md names.

    convert.py FOLDER    FOLDER holds the unpacked packages: wntr/ and bokeh_sampledata/ anywhere below it
    convert.py --check   computes the figures again from the tables that are here and compares

The figures are worked out here by the plainest means (dictionaries and brute force), so that they are independent of the store they are
used to test. Standard library only.
"""

import csv
import gzip
import io
import json
import math
import pathlib
import sys
from collections import Counter

HERE = pathlib.Path(__file__).resolve().parent
REACH = 500  # feet: half the side of the box of Joint.nearby


def sections(text):
    """The rows of an EPANET input file by section, each a list of words; `;` begins a comment."""
    found, name = {}, None
    for line in text.splitlines():
        line = line.split(";")[0].strip()
        if line.startswith("["):
            name = line.strip("[]").upper()
            found.setdefault(name, [])
        elif line and name:
            found[name].append(line.split())
    return found


def number(text):
    """The shortest decimal text of the number: 5765080.50 becomes 5765080.5."""
    value = float(text)
    return str(int(value)) if value == int(value) else repr(value)


def convert_ky10(source):
    data = sections(source.read_text())
    place = {row[0]: row[1:3] for row in data["COORDINATES"]}
    joints = []
    for kind, section in (("junction", "JUNCTIONS"), ("tank", "TANKS"), ("reservoir", "RESERVOIRS")):
        for name, height, *_ in data[section]:
            joints.append([name, kind, number(place[name][0]), number(place[name][1]), number(height)])
    lines = []
    for name, start, end, length, diameter, *_ in data["PIPES"]:
        lines.append([name, "pipe", start, end, number(diameter), number(length)])
    for name, start, end, *_ in data["PUMPS"]:
        lines.append([name, "pump", start, end, "", ""])
    for name, start, end, diameter, *_ in data["VALVES"]:
        lines.append([name, "valve", start, end, number(diameter), ""])
    write_table("ky10/Joint.tsv", ["name", "kind", "x", "y", "z"], joints)
    write_table("ky10/Line.tsv", ["name", "kind", "start", "end", "diameter", "length"], lines)


def convert_airports(airports, routes):
    with airports.open(encoding="utf-8", newline="") as file:
        rows = [
            [
                row["IATA"], row["ICAO"], row["Name"], row["City"], row["Country"], row["Type"].removesuffix("_airport"),
                number(row["Latitude"]), number(row["Longitude"]), number(row["Altitude"]),
            ]
            for row in csv.DictReader(file)
        ]
    header = ["iata", "icao", "name", "city", "country", "kind", "latitude", "longitude", "altitude"]
    write_table("airports/Airport.csv", header, rows)
    with gzip.open(routes, "rt", encoding="utf-8", newline="") as file:
        rows = [[row["Airline"], row["Source"], row["Destination"]] for row in csv.DictReader(file)]
    write_table("airports/Route.csv", ["airline", "source", "destination"], rows)


def write_table(path, header, rows):
    target = HERE / path
    target.parent.mkdir(exist_ok=True)
    text = io.StringIO()
    if path.endswith(".tsv"):
        assert not any("\t" in cell or "\n" in cell for row in rows for cell in row)
        text.writelines("\t".join(row) + "\n" for row in [header, *rows])
    else:
        csv.writer(text, lineterminator="\n").writerows([header, *rows])
    target.write_text(text.getvalue(), encoding="utf-8")


def read_table(path):
    with (HERE / path).open(encoding="utf-8", newline="") as file:
        if path.endswith(".tsv"):
            return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        return list(csv.DictReader(file))


def bounds(values):
    return {"min": min(values), "max": max(values)}


def ky10_figures():
    joints, lines = read_table("ky10/Joint.tsv"), read_table("ky10/Line.tsv")
    at = {joint["name"]: tuple(float(joint[axis]) for axis in "xyz") for joint in joints}
    assert len(at) == len(joints) and len({line["name"] for line in lines}) == len(lines)
    ends = Counter(line["start"] for line in lines) + Counter(line["end"] for line in lines)
    degree = {name: ends[name] for name in at}
    assert set(ends) <= set(at)
    top = max(degree.values())
    busiest = min(name for name in at if degree[name] == top)

    def nearby(source):
        x, y, _ = at[source]
        return sorted(
            name for name, (a, b, _) in at.items()
            if name != source and x - REACH <= a <= x + REACH and y - REACH <= b <= y + REACH)

    near = {name: nearby(name) for name in at}
    lengths = [float(line["length"]) for line in lines if line["length"]]
    stretch = sorted(
        float(line["length"]) / math.dist(at[line["start"]][:2], at[line["end"]][:2])
        for line in lines if line["length"])
    pairs = Counter(frozenset((line["start"], line["end"])) for line in lines)
    return {
        "counts": {
            "Joint": len(joints), "Line": len(lines),
            "kinds": {
                "Joint": dict(Counter(joint["kind"] for joint in joints)), "Line": dict(Counter(line["kind"] for line in lines)),
            },
        },
        "boundingBox": {axis: bounds([point[i] for point in at.values()]) for i, axis in enumerate("xyz")},
        # Correctly rounded sums: whoever adds in another order is off by a few units in the last place.
        "sums": {axis: math.fsum(point[i] for point in at.values()) for i, axis in enumerate("xyz")},
        "length": {"count": len(lengths), "sum": math.fsum(lengths), "medianOverStraight": stretch[len(stretch) // 2]},
        "parallelLines": sum(count - 1 for count in pairs.values()),
        "degrees": {str(value): count for value, count in Counter(degree.values()).items()},
        "busiest": {
            "name": busiest, "degree": top, "position": list(at[busiest]),
            "withThisDegree": sorted(name for name in at if degree[name] == top),
            "outgoing": sorted(line["name"] for line in lines if line["start"] == busiest),
            "incoming": sorted(line["name"] for line in lines if line["end"] == busiest),
            "neighbours": sorted(
                {line["end"] for line in lines if line["start"] == busiest}
                | {line["start"] for line in lines if line["end"] == busiest}),
            "nearby": near[busiest],
        },
        "nearby": {
            "total": sum(map(len, near.values())), "none": sum(not names for names in near.values()),
            "most": {"count": max(map(len, near.values())), "name": min(near, key=lambda name: (-len(near[name]), name))},
        },
    }


def airports_figures():
    airports, routes = read_table("airports/Airport.csv"), read_table("airports/Route.csv")
    codes = {airport["iata"] for airport in airports}
    departures = Counter(route["source"] for route in routes)
    arrivals = Counter(route["destination"] for route in routes)
    assert len(codes) == len(airports) and set(departures) | set(arrivals) <= codes
    top = min(departures, key=lambda code: (-departures[code], code))
    return {
        "counts": {
            "Airport": len(airports), "Route": len(routes), "pairs": len({(route["source"], route["destination"]) for route in routes}),
            "airlines": len({route["airline"] for route in routes}), "withoutICAO": sum(not airport["icao"] for airport in airports),
            "kinds": dict(Counter(airport["kind"] for airport in airports)),
        },
        "boundingBox": {key: bounds([float(airport[key]) for airport in airports]) for key in ("latitude", "longitude", "altitude")},
        "sums": {key: math.fsum(float(airport[key]) for airport in airports) for key in ("latitude", "longitude", "altitude")},
        "busiest": {
            "iata": top, "departures": departures[top], "arrivals": arrivals[top],
            # In the order of the fetched property: by destination, then by airline.
            "firstDepartures": [
                [route["destination"], route["airline"]]
                for route in sorted(
                    (route for route in routes if route["source"] == top), key=lambda route: (route["destination"], route["airline"]))
            ][:10],
        },
        "withoutDepartures": len(codes - set(departures)),
    }


def figures(path, found, check):
    text = json.dumps(found, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    target = HERE / path
    if not check:
        target.write_text(text, encoding="utf-8")
    elif target.read_text(encoding="utf-8") != text:
        sys.exit(f"{path} is not what the tables give")


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    check = arguments[0] == "--check"
    if not check:
        folder = pathlib.Path(arguments[0])

        def find(pattern):
            files = sorted(folder.rglob(pattern))
            if not files:
                sys.exit(f"there is no {pattern} below {folder}; unpack the packages of README.md there")
            return files[0]

        convert_ky10(find("wntr/library/networks/ky10.inp"))
        convert_airports(find("bokeh_sampledata/_data/airports.csv"), find("bokeh_sampledata/_data/routes.csv.gz"))
    figures("ky10.expected.json", ky10_figures(), check)
    figures("airports.expected.json", airports_figures(), check)


main(sys.argv[1:])
