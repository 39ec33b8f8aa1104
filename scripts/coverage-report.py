"""Coverage of the engine's own code from what llvm-cov exported: lines (LCOV) and branches (JSON).

Left out: the tests that stand in the engine's files, the list of the deliberate mistakes, and the branches of a line that
asks for one of these (`planted!`), which is compiled to `false`.
"""

import json
import pathlib
import sys
from collections import defaultdict

LEFT_OUT = {"planted.rs"}


def own_lines(path):
    """The file's lines up to its tests, by number."""
    lines = {}
    for number, text in enumerate(path.read_text().splitlines(), 1):
        if text == "#[cfg(test)]":
            break
        lines[number] = text
    return lines


def main(lcov, branches_json, least_lines, least_branches):
    root = pathlib.Path("engine/src").resolve()
    ours = {
        p: own_lines(p) for p in sorted(root.rglob("*.rs")) if p.name not in LEFT_OUT
    }
    lines = defaultdict(lambda: defaultdict(int))
    current = None
    for row in open(lcov):
        key, _, value = row.strip().partition(":")
        if key == "SF":
            current = pathlib.Path(value)
        elif key == "DA" and current in ours:
            number, count = map(int, value.split(",")[:2])
            if number in ours[current]:
                lines[current][number] += count
    # A branch is two ways: taken, and not taken. Those of the copies of generic code count as one.
    branches = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for file in json.load(open(branches_json))["data"][0]["files"]:
        path = pathlib.Path(file["filename"])
        for number, column, _, _, taken, not_taken, *_ in file.get("branches", []):
            text = ours.get(path, {}).get(number)
            if text is not None and "planted!" not in text:
                both = branches[path][number, column]
                both[0] += taken
                both[1] += not_taken

    total = [0, 0, 0, 0]
    missed = []
    print(f"{'file':<28}{'lines':>14}{'':>9}{'branches':>14}")
    for path in ours:
        ways = [n for both in branches[path].values() for n in both]
        row = [
            sum(n > 0 for n in lines[path].values()), len(lines[path]),
            sum(n > 0 for n in ways), len(ways),
        ]
        total = [a + b for a, b in zip(total, row)]
        print(figures(str(path.relative_to(root)), row))
        missed += [f"{path.relative_to(root)}:{n}: not run" for n, count in sorted(lines[path].items()) if not count]
        for (number, column), (taken, not_taken) in sorted(branches[path].items()):
            if not (taken and not_taken) and lines[path].get(number, 1):
                what = "always" if taken else "never" if not_taken else "not reached"
                missed.append(f"{path.relative_to(root)}:{number}:{column}: {what} true")
    print(figures("all", total))
    print("\nmissed:", *missed, sep="\n")
    enough = percent(*total[:2]) >= least_lines and percent(*total[2:]) >= least_branches
    if total[1] == 0 or total[3] == 0:
        print("nothing was counted", file=sys.stderr)
        return 1
    if not enough:
        print(f"less than {least_lines:g} % of the lines or {least_branches:g} % of the branches", file=sys.stderr)
    return 0 if enough else 1


def percent(part, whole):
    return 100 * part / whole if whole else 100


def figures(name, row):
    a, b, c, d = row
    return f"{name:<28}{f'{a}/{b}':>14}{percent(a, b):>8.1f}%{f'{c}/{d}':>14}{percent(c, d):>8.1f}%"


sys.exit(main(sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])))
