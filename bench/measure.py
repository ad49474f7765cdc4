"""One row, every contender: the same data, warm-ups and calls, rounds in turn, and what follows
from the times."""

import dataclasses
import math
import statistics

import numpy as np

import check
import contender as processes
import problem as rows

NOISE = 0.97  # a ratio from here on counts as at least as fast
ABOVE_PROBE = 1.03  # a kernel can't read faster than the plain read, but for this much noise
SHORT_US = 20.0  # rows whose best peer is quicker are reported apart


@dataclasses.dataclass
class Plan:
    """How much to measure."""

    rounds: int = 7
    round_ms: float = 25.0  # for the fastest contender of a row
    slowest_ms: float = 400.0  # but no contender's round longer than about this
    retries: int = 2  # more rounds for a row that looks slow or unsteady
    bandwidth_rounds: int = 15  # 0: no comparison with plain reads


@dataclasses.dataclass
class Timing:
    how: str = ""
    why: str = ""  # why it doesn't count, or can't do the row
    counts: bool = False
    rounds_us: list = dataclasses.field(default_factory=list)

    @property
    def median_us(self):
        return statistics.median(self.rounds_us) if self.rounds_us else math.nan

    @property
    def min_us(self):
        return min(self.rounds_us, default=math.nan)


@dataclasses.dataclass
class Row:
    problem: rows.Problem
    calls: int
    timings: dict  # name of the contender -> Timing
    bandwidth: dict

    def best_peer(self, ours):
        peers = {n: t for n, t in self.timings.items() if n != ours and t.counts}
        return min(peers, key=lambda n: peers[n].median_us, default=None)

    def ratio(self, ours, by="median_us"):
        """The best right-valued peer's time over ours: above 1 we are faster."""
        mine, best = self.timings[ours], self.best_peer(ours)
        if best is None or not mine.counts:
            return math.nan
        if by == "min_us":
            others = [t.min_us for n, t in self.timings.items() if n != ours and t.counts]
            return min(others) / mine.min_us
        return self.timings[best].median_us / mine.median_us

    def is_short(self, ours):
        best = self.best_peer(ours)
        return best is not None and self.timings[best].median_us < SHORT_US


def measure_row(problem, contenders, ours, plan, folder):
    """Every contender on one row. A contender that can't do it stays in the row with its reason."""
    data = rows.make_data(problem)
    data_path = str(folder / "input.bin")
    rows.save_data(data, data_path)
    timings = {}
    ready = []
    for each in contenders:
        timing = timings[each.name] = Timing()
        try:
            answer = each.ask(cmd="setup", row=problem.text, data=data_path, threads=each.threads)
            timing.how = answer.get("how", "")
            each.ask(cmd="time", calls=3)
            ready.append(each)
            if check.narrower(problem, answer.get("computes_in")):
                timing.why = f"computes in {answer['computes_in']}"
        except processes.Failure as failure:
            timing.why = str(failure)
    expected = check.exact(problem, data)
    del data
    for each in ready:
        judge(problem, expected, each, timings[each.name], str(folder / "output.bin"))
    del expected
    calls = calls_per_round(ready, plan)
    row = Row(problem, calls, timings, {})
    run_rounds(ready, timings, calls, plan.rounds)
    for _ in range(plan.retries):
        if not is_suspect(row, ours):
            break
        run_rounds(ready, timings, calls, plan.rounds)
    mine = next((each for each in ready if each.name == ours), None)
    if mine is not None and plan.bandwidth_rounds > 0 and mine.threads == 1:
        row.bandwidth = measure_bandwidth(problem, mine, plan)
    return row


def judge(problem, expected, each, timing, path):
    try:
        answer = each.ask(cmd="result", path=path)
    except processes.Failure as failure:
        timing.why = str(failure)
        return
    kind = rows.STORAGE.get(answer["dtype"])
    shape = tuple(answer["shape"])
    result = np.fromfile(path, kind).reshape(shape) if kind is not None else None
    verdict = check.judge(problem, expected, answer["dtype"], shape, result)
    if not verdict.right:
        timing.why = verdict.why
    timing.counts = verdict.right and not timing.why


def calls_per_round(ready, plan):
    """One number for all, set by the fastest, held back by the slowest."""
    cost_ms = []
    for each in ready:
        calls = 1
        while (spent := each.ask(cmd="time", calls=calls)["ns"] / 1e6) < 1 and calls < 1 << 20:
            calls *= 8
        cost_ms.append(spent / calls)
    if not cost_ms:
        return 1
    wanted = min(plan.round_ms / min(cost_ms), plan.slowest_ms / max(cost_ms))
    return max(1, round(wanted))


def run_rounds(ready, timings, calls, rounds):
    """A B C, B C A, C A B, …: nobody always follows the same other."""
    for turn in range(rounds):
        first = turn % max(len(ready), 1)
        for each in ready[first:] + ready[:first]:
            spent = each.ask(cmd="time", calls=calls)["ns"]
            timings[each.name].rounds_us.append(spent / calls / 1000)


def is_suspect(row, ours):
    """Slower than the best peer, or times that scatter: worth more rounds before it is believed."""
    if ours not in row.timings or not row.timings[ours].rounds_us:
        return False
    if row.ratio(ours) < 1:
        return True
    names = [ours] + [n for n in [row.best_peer(ours)] if n is not None]
    return any(row.timings[n].median_us > 1.1 * row.timings[n].min_us for n in names)


def measure_bandwidth(problem, mine, plan):
    if problem.op == "einsum":
        return measure_peak(problem, mine, plan)
    result = {}
    for _ in range(1 + plan.retries):  # one unlucky reading is no proof of an impossible kernel
        try:
            answer = mine.ask(cmd="bandwidth", rounds=plan.bandwidth_rounds)
        except processes.Failure as failure:
            return {"why": str(failure)}
        result = {
            state: compare_reads(problem, answer[state])
            for state in ("cold", "hot")
            if state in answer
        }
        if not any(each["read_share"] > ABOVE_PROBE for each in result.values()):
            break
    return result


def measure_peak(problem, mine, plan):
    """A product against the peak of fused multiply-adds, timed in turn, the operands warm."""
    if not problem.flops or problem.dtype not in ("f64", "f32", "f16", "bf16"):
        return {}
    try:
        timed = mine.ask(cmd="peak", rounds=plan.bandwidth_rounds)
    except processes.Failure as failure:
        return {"why": str(failure)}
    lanes = 0.5 if problem.dtype == "f64" else 1.0  # the peak is that of f32
    turns = zip(timed["kernel_ns"], timed["fma_gflops"], strict=True)
    share = statistics.median(problem.flops / ns / (peak * lanes) for ns, peak in turns)
    gflops = problem.flops / statistics.median(timed["kernel_ns"])
    return {"peak": {"gflops": gflops, "share": share}}


def compare_reads(problem, timed):
    """The kernel against the fastest plain read of the same bytes, timed in turn.

    share: input and output bytes per second, over the plain read's bytes per second.
    read_share: the same without the output; nothing real passes 1 by more than noise.
    """
    turns = zip(timed["read_ns"], timed["kernel_ns"], strict=True)
    read_share = statistics.median(read / kernel for read, kernel in turns)
    moved = problem.input_bytes + problem.output_bytes
    return {
        "gb_per_s": moved / statistics.median(timed["kernel_ns"]),
        "read_gb_per_s": problem.input_bytes / statistics.median(timed["read_ns"]),
        "read_loop": timed["loop"],
        "share": read_share * moved / problem.input_bytes,
        "read_share": read_share,
    }


def geometric_mean(values):
    values = [v for v in values if not math.isnan(v)]
    return math.exp(statistics.fmean(math.log(v) for v in values)) if values else math.nan


def failures(measured, ours):
    """What makes a run invalid: a wrong value of ours, or a kernel faster than reading."""
    found = []
    for row in measured:
        mine = row.timings.get(ours)
        if mine is not None and not mine.counts:
            found.append(f"{row.problem.text}: {ours} doesn't count: {mine.why}")
        for state, each in row.bandwidth.items():
            if state in ("cold", "hot") and each["read_share"] > ABOVE_PROBE:
                found.append(
                    f"{row.problem.text}: reads at {100 * each['read_share']:.0f} % of the best "
                    f"plain read ({state}), which can't be"
                )
    return found
