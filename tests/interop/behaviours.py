"""What the Eclipse Paho interoperability suite asks of a server, asked of ours: a behaviour a function, with its section of the
specification. Controllers publish and an integration reads, as accounts may here. WORLD is a JSON object on standard input; a
line for each behaviour goes out: "ok", or "FAILED" with why."""

import concurrent.futures
import json
import sys
import time
import traceback

import both
import v5

ALL = [(version, name, section, ask) for version in (4, 5) for name, section, ask in both.ALL]
ALL += [(5, name, section, ask) for name, section, ask in v5.ALL]


def played(world, n, version, name, section, ask):
    began = time.monotonic()
    accounts = {"a": world["controllers"][2 * n], "b": world["controllers"][2 * n + 1], "reader": world["readers"][n]}
    label = f"{'3.1.1' if version == 4 else '5'} {name} ({section})"
    try:
        ask(world, accounts, version)
        return f"ok {label} {time.monotonic() - began:.1f} s"
    except Exception:  # noqa: BLE001: whatever it is, it is that behaviour's failure
        return f"FAILED {label}\n{traceback.format_exc()}"


def main():
    world = json.load(sys.stdin)
    wanted = sys.argv[1:]
    chosen = [one for one in ALL if not wanted or one[1] in wanted]
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        jobs = [pool.submit(played, world, n, *one) for n, one in enumerate(chosen)]
        for job in jobs:
            print(job.result(), flush=True)


main()
