#!/usr/bin/env python3
"""Tenfold against the peers, row by row, in one run. bench/README.md tells how to read it.

bench/setup                          # once: the peers, into bench/.venv
bench/run.py [--rows REGEX] [--threads N] [--json FILE] [--plot FILE]
"""

import argparse
import json
import os
import pathlib
import platform
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
VENV = HERE / ".venv"
if __name__ == "__main__" and (VENV / "bin/python").exists() and pathlib.Path(sys.prefix) != VENV:
    os.execv(VENV / "bin/python", [str(VENV / "bin/python"), *sys.argv])

import contender  # noqa: E402
import measure  # noqa: E402
import problem  # noqa: E402
import report  # noqa: E402

OURS = "tenfold"
LEAST_MEAN = {"reductions": 1.6, "contractions": 1.5}


def arguments(argv):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", default="", metavar="REGEX", help="only the rows that match")
    parser.add_argument("--rows-file", type=pathlib.Path, default=HERE / "rows.txt", metavar="FILE")
    parser.add_argument(
        "--peers",
        metavar="LIST",
        help=f"default: {','.join(contender.PEERS)}, and where a copy is found"
        f" {','.join(contender.OPTIONAL_PEERS)}",
    )
    parser.add_argument("--threads", type=int, default=1, help="for every contender (default: 1)")
    parser.add_argument("--rounds", type=int, default=7, help="default: %(default)s")
    parser.add_argument(
        "--round-ms", type=float, default=25, help="the fastest contender's (default: %(default)s)"
    )
    parser.add_argument(
        "--quick", action="store_true", help="three short rounds: to try things out"
    )
    parser.add_argument("--no-bandwidth", action="store_true", help="leave out the plain reads")
    parser.add_argument("--strict", action="store_true", help="fail also when a target is missed")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write every time taken")
    parser.add_argument("--plot", type=pathlib.Path, metavar="FILE", help="draw the ratios (SVG)")
    parser.add_argument(
        "--from-json",
        type=pathlib.Path,
        metavar="FILE",
        help="draw an earlier run, measure nothing",
    )
    parser.add_argument(
        "--worker",
        type=pathlib.Path,
        default=HERE.parent / "build/release/bench/bench_worker",
        metavar="FILE",
        help="Tenfold's side (default: %(default)s)",
    )
    return parser.parse_args(argv)


def plan_of(options):
    plan = measure.Plan(rounds=options.rounds, round_ms=options.round_ms)
    if options.quick:
        plan = measure.Plan(rounds=3, round_ms=5, slowest_ms=100, retries=0, bandwidth_rounds=3)
    if options.no_bandwidth:
        plan.bandwidth_rounds = 0
    return plan


def cache_bytes(level):
    """The size of the first CPU's cache of this level, by the kernel's own account."""
    sizes = []
    for index in pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        if (index / "level").read_text().strip() == str(level):
            text = (index / "size").read_text().strip()
            sizes.append(int(text[:-1]) * {"K": 1 << 10, "M": 1 << 20}[text[-1]])
    return max(sizes, default=1 << 20)


def machine_of(ours):
    model = platform.processor() or platform.machine()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next(
            (line.split(":")[1].strip() for line in file if line.startswith("model name")), model
        )
    machine = {"cpu": model, "cpus": len(os.sched_getaffinity(0))}
    machine |= {"l2_bytes": cache_bytes(2), "l3_bytes": cache_bytes(3)}
    try:
        machine |= {k: v for k, v in ours.ask(cmd="machine").items() if k != "ok"}
    except contender.Failure:
        pass  # only Tenfold's own worker can tell
    return machine


def print_machine(machine, contenders):
    print(f"{machine['cpu']}, {machine['cpus']} CPUs, L2 {machine['l2_bytes'] >> 10} KiB", end="")
    if "target" in machine:
        reads = machine["read_gb_per_s_by_kib"]
        rates = ", ".join(
            f"{int(kib) // 1024 or kib} {'MiB' if int(kib) >= 1024 else 'KiB'} {rate:.0f}"
            for kib, rate in reads.items()
        )
        print(
            f"; target {machine['target']}; reads in GB/s: {rates};"
            f" f32 FMA {machine['fma_gflops_f32']:.0f} GFLOP/s",
            end="",
        )
    print("\n" + ", ".join(f"{each.name} {each.version}" for each in contenders), flush=True)


def run(options, contenders):
    """Measures the rows; returns them with the machine's description."""
    plan = plan_of(options)
    rows = problem.read_rows(options.rows_file, options.rows)
    if not rows:
        raise SystemExit(f"no row of {options.rows_file} matches {options.rows!r}")
    for each in contenders:
        try:
            each.start()
        except contender.Failure as failure:
            raise SystemExit(
                f"{each.name} does not start ({failure}); BENCH_VERBOSE=1 shows why"
            ) from failure
    machine = machine_of(contenders[0])
    print_machine(machine, contenders)
    measured = []
    with tempfile.TemporaryDirectory(prefix="tenfold-bench-") as folder:
        for number, row in enumerate(rows, 1):
            if sys.stderr.isatty():
                print(
                    f"\r\x1b[K{number}/{len(rows)} {row.text}", end="", file=sys.stderr, flush=True
                )
            measured.append(measure.measure_row(row, contenders, OURS, plan, pathlib.Path(folder)))
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    print(report.table(measured, OURS, machine["l2_bytes"]))
    if reasons := report.notes(measured, OURS):
        print(f"\nNot counted, or not done:\n{reasons}")
    print("\n" + report.summary(measured, OURS))
    return measured, machine


def cold_targets():
    """Row text -> the least percentage of the plain read, for inputs larger than the L2 cache."""
    targets = {}
    with open(HERE / "cold_targets.txt", encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                least, text = line.strip().split(" ", 1)
                targets[text] = float(least)
    return targets


def missed(measured, machine, threads):
    """The targets of bench/README.md that the run did not reach."""
    found = [
        f"{row.problem.text}: ratio {row.ratio(OURS):.3f} is below {measure.NOISE}"
        for row in measured
        if row.ratio(OURS) < measure.NOISE
    ]
    if threads > 1:
        return found
    for family, rows in report.families(measured):
        mean = report.means(rows, OURS)["long_median_us"]
        if mean < LEAST_MEAN[family]:
            found.append(f"{family}: geometric mean {mean:.2f} is below {LEAST_MEAN[family]}")
    targets = cold_targets()
    for row in measured:
        least, cold = targets.get(row.problem.text), row.bandwidth.get("cold")
        if least is None or not isinstance(cold, dict):
            continue
        if row.problem.input_bytes > machine["l2_bytes"] and 100 * cold["share"] < least:
            found.append(
                f"{row.problem.text}: {100 * cold['share']:.0f} % cold is below {least:.0f} %"
            )
    return found


def main(argv=None):
    options = arguments(argv)
    if options.from_json:
        report.plot(json.loads(options.from_json.read_text()), options.plot)
        return 0
    if not options.worker.exists():
        raise SystemExit(f"no {options.worker}: build the target bench_worker, or give --worker")
    try:
        peers, left_out = contender.chosen(options.peers)
    except ValueError as refused:
        raise SystemExit(str(refused)) from refused
    print("".join(line + "\n" for line in left_out), end="")
    contenders = [contender.Contender(OURS, [str(options.worker.resolve())], options.threads)]
    contenders += [contender.peer(name, options.threads) for name in peers]
    return finish(options, contenders)


def finish(options, contenders):
    """Runs, writes what was asked for, and returns the exit code."""
    try:
        measured, machine = run(options, contenders)
    finally:
        for each in contenders:
            each.close()
    settings = {"threads": options.threads, "rounds": plan_of(options).rounds}
    settings["peers"] = [each.name for each in contenders[1:]]
    settings["versions"] = {each.name: each.version for each in contenders}
    result = report.as_json(measured, OURS, machine, settings)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(result, indent=1) + "\n")
    if options.plot:
        report.plot(result, options.plot)
    invalid = measure.failures(measured, OURS)
    short = missed(measured, machine, options.threads)
    if invalid:
        print("\nThis run is not valid:\n  " + "\n  ".join(invalid))
    if short:
        print("\nTargets missed:\n  " + "\n  ".join(short))
    return 1 if invalid or (short and options.strict) else 0


if __name__ == "__main__":
    sys.exit(main())
