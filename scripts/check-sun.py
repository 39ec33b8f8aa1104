#!/usr/bin/env python3
"""Compares testdata/sun/usno.tsv with a second computation, the package astral (`pip install astral`), and says how far each place is off at most.

A time that was copied wrongly is minutes off; what astral itself is off grows with the latitude, for it computes with less precision.
It has no sunset on a day whose sunset is about midnight UTC; then that of the next day counts. Exit code 1 where one is more than 75 s off.
"""
import datetime as dt
import pathlib
import sys

from astral import Observer, sun

TABLE = pathlib.Path(__file__).parent.parent / "testdata/sun/usno.tsv"
MOST_SEC = 75
DAY_SEC = 86_400


def computed(event, observer, near):
    """The event of that kind nearest to an instant; none where there is none about it."""
    found = []
    for days in (-1, 0, 1):
        try:
            found.append(event(observer, date=near.date() + dt.timedelta(days=days)))
        except ValueError:
            pass
    return min(found, key=lambda at: abs(at - near), default=None)


def main():
    worst = {}
    for line in TABLE.read_text().splitlines():
        if line.startswith("#"):
            continue
        place, lat, lng, date, *times = line.split("\t")
        observer = Observer(float(lat), float(lng), 0)
        for event, time in zip((sun.sunrise, sun.sunset), times):
            said = dt.datetime.strptime(f"{date} {time}+0000", "%Y-%m-%d %H%M%z")
            at = computed(event, observer, said)
            apart = (at - said).total_seconds() % DAY_SEC if at else DAY_SEC / 2
            apart = min(apart, DAY_SEC - apart)
            worst[place] = max(worst.get(place, (0, "")), (apart, f"{date} {time}"))
    for place, (apart, when) in worst.items():
        print(f"{place}: {apart:.0f} s on {when}")
    return int(max(apart for apart, _ in worst.values()) > MOST_SEC)


sys.exit(main())
