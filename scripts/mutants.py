"""Makes every mutant of a crate that cargo-mutants lists, and tells which of them the tests do not notice.

cargo-mutants builds the crate and its tests once a mutant, which takes hours. Here all mutants go into one copy of the
sources, each behind `crate::mutant(N)`, and a variable of the environment says which of them is on: one build, and then a
run of the tests a mutant. What cannot be put in that way, or does not compile, is counted as unviable.

    scripts/mutants.sh [engine|farm] [FILE...]        files of its src; all without any
    scripts/mutants.sh [engine|farm] NUMBER...        some again, as they were numbered; HARIT_CASES=4000 for more cases than 200
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

import tree_sitter
import tree_sitter_rust

CRATE = sys.argv[1]
SOURCES = f"{CRATE}/src"
WORK = pathlib.Path("target/mutants").resolve()
TREE = WORK / f"tree-{CRATE}"
# Random cases a mutant, against the model.
CASES = int(os.environ.get("HARIT_CASES", "200"))
# Of processor time, so that a busy machine changes nothing; and by the clock for what waits for ever.
CPU_SEC, CLOCK_SEC = {"engine": 12, "farm": 40}[CRATE] * max(1, CASES // 200), 300 + CASES // 10
# A mutant that never ends may also want all memory.
MEMORY_BYTES = 2 << 30
# Used in constants: they must stay `const`, so they cannot ask which mutant is on.
STAY_CONST = {"from_secs", "from_millis", "from_units", "from_micro", "polyhouse", "exact", "ratio", "linear"}
# By crate: the packages that have tests of it, and these tests with what is run of each and where; the quick ones first. Each
# stops at its first failure.
PACKAGES, TESTS = {
    "engine": (
        ["harit-engine", "harit-model"],
        [
            (name, "engine", [])
            for name in ("harit_engine", "documents", "registry", "registry_numbers", "alerts", "status", "snapshots", "numbers")
        ]
        + [(name, "engine", []) for name in ("programs", "programs_page", "limits", "hazards")]
        + [("scenarios", "engine", ["every_story", "every_expectation"]), ("corpus", "engine", [])]
        + [("differential", "model", ["engine_and", "numbers", "vectors"])],
    ),
    "farm": (
        ["harit-farm", "harit-fuzz-targets", "harit-model"],
        [("harit_farm", "farm", []), ("differential", "model", ["controllers"]), ("farm_records", "fuzz/targets", [])],
    ),
}[CRATE]
# What reads the state and decides nothing is compared with the model by tests of its own, with a quarter of the cases.
READERS = ("explain/", "hazards/", "verdict/")
OF_READERS = [("differential", "model", ["hazards", "verdict", "explanations"])]
SWITCH = """
/// Whether this mutant is on.
pub(crate) fn mutant(n: u32) -> bool {
    static ON: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *ON.get_or_init(|| std::env::var("MUTANT").ok().and_then(|v| v.parse().ok()).unwrap_or(0)) == n
}
"""
PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language()))


def point(p):
    return (p["line"] - 1, p["column"] - 1)


class File:
    """A source file with its mutants, each bound to the node that it changes."""

    def __init__(self, path, mutants):
        self.path = path
        self.text = path.read_bytes()
        self.starts = [0]
        for line in self.text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.tree = PARSER.parse(self.text)
        self.at = collections.defaultdict(list)
        for n, m in mutants:
            if node := self.bind(m):
                self.at[node.id].append((n, m))

    def offset(self, p):
        # cargo-mutants counts characters, the tree bytes.
        line, column = point(p)
        text = self.text[self.starts[line] : self.starts[line + 1]].decode()
        return self.starts[line] + len(text[:column].encode())

    def bind(self, m):
        start, end = self.offset(m["span"]["start"]), self.offset(m["span"]["end"])
        node = self.tree.root_node.descendant_for_byte_range(start, max(start, end - 1))
        wanted = {
            "BinaryOperator": ("binary_expression", "compound_assignment_expr"), "UnaryOperator": ("unary_expression",),
            "MatchArm": ("match_arm",), "MatchArmGuard": ("match_pattern",), "StructField": ("field_initializer", "shorthand_field_initializer"),
        }.get(m["genre"])
        if m["genre"] == "FnValue":
            while node and node.type != "function_item":
                node = node.parent
            if node is None or node.child_by_field_name("name").text.decode() in STAY_CONST:
                return None
            return node.child_by_field_name("body")
        while node and node.type not in (wanted or ()):
            node = node.parent
        own = {"BinaryOperator": "operator", "MatchArmGuard": "condition"}.get(m["genre"])
        what = node and (node.child_by_field_name(own) if own else node)
        # An operator between the parts of `if let ... && ...` belongs to no expression.
        return node if what and what.start_byte == start else None

    def raw(self, a, b):
        return self.text[a:b].decode()

    def source(self, node):
        """The node's text with its mutants, and those below it, put in."""
        mutants = self.at.get(node.id, [])
        if not node.children:
            return self.raw(node.start_byte, node.end_byte)
        out, at = [], node.start_byte
        for child in node.children:
            out += [self.raw(at, child.start_byte), self.source(child)]
            at = child.end_byte
        plain = "".join(out) + self.raw(at, node.end_byte)
        for n, m in mutants:
            plain = self.put_in(node, n, m, plain)
        return plain

    def put_in(self, node, n, m, plain):
        on = f"crate::mutant({n})"
        replacement = m["replacement"]
        match m["genre"]:
            case "FnValue":
                value = "" if replacement == "()" else replacement
                return f"{{ if {on} {{ return {value}; }} {plain[1:]}"
            case "BinaryOperator":
                start, end = self.offset(m["span"]["start"]), self.offset(m["span"]["end"])
                changed = f"{self.raw(node.start_byte, start)}{replacement}{self.raw(end, node.end_byte)}"
                whole = f"if {on} {{ {changed} }} else {{ {plain} }}"
                return whole if node.type == "compound_assignment_expr" else f"({whole})"
            case "UnaryOperator":
                return f"(if {on} {{ {self.raw(node.children[1].start_byte, node.end_byte)} }} else {{ {plain} }})"
            case "MatchArmGuard":
                guard = node.child_by_field_name("condition")
                head = plain.rindex(" if ")
                pattern, condition = plain[:head], plain[head + 4 :]
                asked = f"{on} || ({condition})" if replacement == "true" else f"!{on} && ({condition})"
                return f"{pattern} if {asked}" if guard else plain
            case "MatchArm":
                pattern = node.child_by_field_name("pattern")
                body = plain.index("=>")
                head = plain[:body].rstrip()
                if pattern.child_by_field_name("condition"):
                    before, _, condition = head.partition(" if ")
                    return f"{before} if !{on} && ({condition}) {plain[body:]}"
                return f"{head} if !{on} {plain[body:]}"
            case "StructField":
                base = next(c for c in node.parent.children if c.type == "base_field_initializer")
                base = self.raw(base.start_byte, base.end_byte).removeprefix("..")
                name, _, value = plain.partition(":")
                return f"{name}: if {on} {{ ({base}).{name} }} else {{ {value or name} }}"
        return plain


def write(mutants, dropped):
    """Writes the copy with all mutants but the dropped; returns where each mutant's line ended up."""
    by_file = collections.defaultdict(list)
    for n, m in enumerate(mutants, 1):
        if n not in dropped:
            by_file[m["file"]].append((n, m))
    bound = set()
    for path in sorted(pathlib.Path(SOURCES).rglob("*.rs")):
        file = File(path, by_file.get(str(path), []))
        bound |= {n for ms in file.at.values() for n, _ in ms}
        text = file.source(file.tree.root_node)
        # What asks which mutant is on is not const any more.
        text = re.sub(r"\bconst fn (?!(?:%s)\b)" % "|".join(STAY_CONST), "fn ", text)
        if path.name == "lib.rs":
            text = f"{text}\n{SWITCH}"
        target = TREE / path
        if not target.exists() or target.read_text() != text:
            target.write_text(text)
    return bound


def build():
    """The test binaries by name, or the errors."""
    packages = [part for package in PACKAGES for part in ("-p", package)]
    command = ["cargo", "test", "--locked", "--offline", "--no-run", *packages, "--lib", "--tests", "--message-format=json"]
    env = os.environ | {"CARGO_TARGET_DIR": str(WORK / "build"), "RUSTFLAGS": "--cap-lints=allow", "CARGO_PROFILE_DEV_DEBUG": "0"}
    done = subprocess.run(command, cwd=TREE, env=env, capture_output=True, text=True)
    binaries, errors = {}, []
    for line in done.stdout.splitlines():
        told = json.loads(line)
        if told["reason"] == "compiler-message" and told["message"]["level"] == "error":
            errors.append(told["message"])
        elif told.get("executable"):
            binaries[told["target"]["name"]] = told["executable"]
    if done.returncode and not errors:
        sys.exit(done.stderr)
    return binaries, errors


def culprits(errors):
    """The mutants whose code the compiler complains about: each the last switch before the place, and of a match that is not
    complete without its arms all that are left out of it."""
    found = set()
    for error in errors:
        ends = [span["line_end"] for child in error["children"] for span in child["spans"]]
        for span in error["spans"]:
            if not span["is_primary"]:
                continue
            # Of what a macro makes the place where it is called.
            while not (path := TREE / span["file_name"]).is_file() and span["expansion"]:
                span = span["expansion"]["span"]
            if not path.is_file():
                continue
            lines = path.read_text().splitlines()
            if (error["code"] or {}).get("code") == "E0004":
                arms = "\n".join(lines[span["line_start"] - 1 : max([span["line_end"], *ends])])
                found |= {int(n) for n in re.findall(r" if !crate::mutant\((\d+)\)", arms)}
                continue
            until = lines[: span["line_start"] - 1] + [lines[span["line_start"] - 1][: span["column_start"] + 20]]
            if numbers := re.findall(r"crate::mutant\((\d+)\)", "\n".join(until)):
                found.add(int(numbers[-1]))
    return found


def bounded():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SEC, CPU_SEC + 1))


def notice(binaries, n, file=""):
    """Who notices the mutant: a test binary's name, `time` or nobody."""
    reads = file.startswith(READERS)
    env = os.environ | {"MUTANT": str(n), "HARIT_CASES": str(CASES // 4 if reads else CASES), "RUST_BACKTRACE": "0"}
    for name, folder, filters in [t for t in TESTS if t[0] != "differential"] + OF_READERS if reads else TESTS:
        try:
            done = subprocess.run([binaries[name], "-q", *filters], cwd=TREE / folder, env=env, timeout=CLOCK_SEC, preexec_fn=bounded, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return "time"
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return "time"
        if done.returncode:
            return name
    return None


def main(wanted):
    listed = json.loads(subprocess.run(
        ["cargo", "mutants", "--list", "--json", "-p", PACKAGES[0]], check=True, capture_output=True, text=True).stdout)
    # Mistakes that are made on purpose, and the code that makes them, are not the crate's.
    mutants = [m for m in listed if not m["file"].endswith("planted.rs") and "planted!" not in m["name"]]
    print(f"{len(listed)} mutants, {len(mutants)} of them of the crate itself")
    # What did not compile the last time does not now, unless the list has changed.
    known = WORK / f"unviable-{CRATE}.json"
    names = [m["name"] for m in mutants]
    before = json.loads(known.read_text()) if known.exists() else {}
    dropped = set(before["dropped"]) if before.get("names") == names else set()
    numbered = [(m["file"].removeprefix(f"{SOURCES}/"), n, m) for n, m in enumerate(mutants, 1)]
    if wanted:
        place = {name: at for at, name in enumerate(wanted)}
        at = lambda x: place.get(x[0], place.get(str(x[1])))
        numbered = sorted((x for x in numbered if at(x) is not None), key=at)
    # The others are built as they are.
    unwanted = set(range(1, len(mutants) + 1)) - {n for _, n, _ in numbered}
    while True:
        bound = write(mutants, dropped | unwanted)
        binaries, errors = build()
        if not errors:
            break
        guilty = culprits(errors) - dropped
        if not guilty:
            sys.exit("\n".join(e["rendered"] for e in errors[:20]))
        dropped |= guilty
        known.write_text(json.dumps({"names": names, "dropped": sorted(dropped)}))
        print(f"{len(guilty)} do not compile", flush=True)
    assert notice(binaries, 0) is None, "the tests fail without a mutant"
    count = collections.Counter()
    by_file = collections.defaultdict(collections.Counter)

    def play(numbered_mutant):
        file, n, _ = numbered_mutant
        began = time.monotonic()
        who = notice(binaries, n, file) if n in bound else "unviable"
        return numbered_mutant, who, time.monotonic() - began

    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    for (file, n, m), who, took in pool.map(play, numbered):
        verdict = {"unviable": "unviable", "time": "timeout", None: "missed"}.get(who, "caught")
        count[verdict] += 1
        by_file[file][verdict] += 1
        print(f"{verdict:<9}{who or '':<14}{took:6.1f} s  {n:>5}  {m['name']}", flush=True)
    for file, own in by_file.items():
        print(f"{file:<20}", dict(own))
    print("all", dict(count))


main(sys.argv[2:])
