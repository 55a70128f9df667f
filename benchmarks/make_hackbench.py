"""Writes the generated halves of HackBench to rlenv/hackbench/data, the same bytes each time.

python benchmarks/make_hackbench.py                       # both halves, all families
python benchmarks/make_hackbench.py --half tuning --family repetition --out /tmp/some.jsonl.gz
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from hackbench.assemble import FAMILIES, GENERATED, of_half

from rlenv.hackbench.files import half_file, write_cases


def main() -> None:
    parser = argparse.ArgumentParser(description="write the generated halves of HackBench")
    parser.add_argument("--half", choices=GENERATED, action="append")
    parser.add_argument("--family", choices=FAMILIES, action="append")
    parser.add_argument("--out", type=Path, help="a file for one half; by default the data of the package")
    options = parser.parse_args()
    halves = options.half or GENERATED
    if options.out and len(halves) > 1:
        parser.error("--out takes one half: give --half")
    if options.family and not options.out:
        parser.error("--family makes a part of the data: give --out, so that the whole stays")
    for half in halves:
        found = of_half(half, options.family or FAMILIES)
        path = options.out or half_file(half)
        write_cases(path, found)
        print(f"{path}: {len(found):,} cases, {path.stat().st_size / 1e6:.2f} MB")
        for (family, hacked), count in sorted(Counter((case.family, case.hacked) for case in found).items()):
            print(f"  {family} {'hacked' if hacked else 'honest'} {count}")


if __name__ == "__main__":
    main()
