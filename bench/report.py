"""What a run looks like: the text table, the JSON, and the picture."""

import math

import measure

SHORT = {"onnxruntime": "ort"}


def microseconds(value):
    if math.isnan(value):
        return "-"
    return f"{value:.3f}" if value < 10 else f"{value:.1f}"


def ratio_text(value):
    return "-" if math.isnan(value) else f"{value:.2f}"


def percent(row, state, cache_bytes):
    """The kernel's bytes per second over the plain read's, and nothing where all is in cache."""
    each = row.bandwidth.get(state)
    if not isinstance(each, dict) or row.problem.input_bytes <= cache_bytes:
        return "-"
    return f"{100 * each['share']:.0f}"


def others(row, ours):
    """Every peer's time over the best peer's; in parentheses what doesn't count."""
    best = row.best_peer(ours)
    parts = []
    for name, timing in row.timings.items():
        if name in (ours, best):
            continue
        label = SHORT.get(name, name)
        if not timing.rounds_us:
            parts.append((math.inf, f"{label} -"))
            continue
        time = timing.median_us
        text = (
            f"{label} {time / row.timings[best].median_us:.1f}"
            if best
            else f"{label} {time:.0f} us"
        )
        parts.append((time, text if timing.counts else f"({text})"))
    return ", ".join(text for _, text in sorted(parts))


def table(measured, ours, l2_bytes):
    head = [
        "row",
        ours + " us",
        "best peer",
        "us",
        "ratio",
        "by min",
        "GB/s",
        "cold %",
        "hot %",
        "GFLOP/s",
        "FMA %",
        "the other peers",
    ]
    lines = [head]
    for row in measured:
        best = row.best_peer(ours)
        mine = row.timings[ours]
        cold, peak = row.bandwidth.get("cold"), row.bandwidth.get("peak")
        mine_us = microseconds(mine.median_us)
        lines.append(
            [
                row.problem.text,
                mine_us if mine.counts else f"({mine_us})",
                SHORT.get(best, best) or "-",
                microseconds(row.timings[best].median_us) if best else "-",
                ratio_text(row.ratio(ours)),
                ratio_text(row.ratio(ours, "min_us")),
                f"{cold['gb_per_s']:.1f}" if isinstance(cold, dict) else "-",
                percent(row, "cold", l2_bytes),
                percent(row, "hot", l2_bytes),
                f"{peak['gflops']:.0f}" if peak else "-",
                f"{100 * peak['share']:.0f}" if peak else "-",
                others(row, ours),
            ]
        )
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    left = {0, 2, len(head) - 1}
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i in left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def notes(measured, ours):
    """Why a contender stands in parentheses or not at all, its worst element included."""
    lines = []
    for row in measured:
        for name, timing in row.timings.items():
            if timing.why:
                lines.append(f"  {row.problem.text}: {SHORT.get(name, name)}: {timing.why}")
    return "\n".join(lines)


def means(measured, ours):
    """Geometric means of the ratios, over the rows that are long enough and over the others."""
    result = {}
    for label, short in (("long", False), ("short", True)):
        chosen = [row for row in measured if row.is_short(ours) == short]
        for by in ("median_us", "min_us"):
            values = [row.ratio(ours, by) for row in chosen]
            result[f"{label}_{by}"] = measure.geometric_mean(values)
        result[f"{label}_rows"] = sum(not math.isnan(row.ratio(ours)) for row in chosen)
    return result


def families(measured):
    """The measured rows of each kind, for the kinds that were measured."""
    reductions = [row for row in measured if row.problem.op != "einsum"]
    contractions = [row for row in measured if row.problem.op == "einsum"]
    named = (("reductions", reductions), ("contractions", contractions))
    return [(name, rows) for name, rows in named if rows]


def summary(measured, ours):
    lines = []
    for name, rows in families(measured):
        lines += family_summary(name, rows, ours)
    slow = [row.problem.text for row in measured if row.ratio(ours) < measure.NOISE]
    lines.append(f"Rows below {measure.NOISE}: {len(slow)}")
    lines += [f"  {text}" for text in slow]
    return "\n".join(lines)


def family_summary(name, rows, ours):
    mean = means(rows, ours)
    lines = [
        f"Geometric mean over {mean['long_rows']} {name} whose best peer takes "
        f"{measure.SHORT_US:.0f} us or more: {ratio_text(mean['long_median_us'])} "
        f"(by minima {ratio_text(mean['long_min_us'])})"
    ]
    if mean["short_rows"]:
        lines.append(
            f"Over the {mean['short_rows']} shorter {name}, where a call's own cost weighs most: "
            f"{ratio_text(mean['short_median_us'])} (by minima {ratio_text(mean['short_min_us'])})"
        )
    return lines


def as_json(measured, ours, machine, settings):
    def clean(value):
        return None if isinstance(value, float) and math.isnan(value) else value

    return {
        "machine": machine,
        "settings": settings,
        "means": {
            family: {name: clean(value) for name, value in means(rows, ours).items()}
            for family, rows in families(measured)
        },
        "rows": [
            {
                "row": row.problem.text,
                "calls_per_round": row.calls,
                "best_peer": row.best_peer(ours),
                "ratio": clean(row.ratio(ours)),
                "ratio_by_min": clean(row.ratio(ours, "min_us")),
                "short": row.is_short(ours),
                "bandwidth": row.bandwidth,
                "contenders": {
                    name: {
                        "counts": timing.counts,
                        "why": timing.why,
                        "how": timing.how,
                        "median_us": clean(timing.median_us),
                        "min_us": clean(timing.min_us),
                        "rounds_us": timing.rounds_us,
                    }
                    for name, timing in row.timings.items()
                },
            }
            for row in measured
        ],
    }


def plot(result, path):
    """Horizontal bars, one per row of a run's JSON: how many times faster than the best peer."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "tenfold"
    matplotlib.rcParams["svg.fonttype"] = "none"
    rows = [row for row in result["rows"] if row["ratio"] is not None]
    rows.sort(key=lambda row: row["ratio"])
    ratios = [row["ratio"] for row in rows]
    figure, axes = plt.subplots(figsize=(11, 1.6 + 0.24 * len(rows)))
    colours = ["#9db8cc" if row["short"] else "#2a6f97" for row in rows]
    colours = ["#c1666b" if row["ratio"] < 1 else c for row, c in zip(rows, colours, strict=True)]
    axes.barh(range(len(rows)), [r - 1 for r in ratios], left=1, color=colours, height=0.72)
    axes.set_xscale("log", base=2)
    top = max([2.0, *ratios])
    ticks = [
        t
        for t in (0.5, 1, 2, 4, 8, 16, 32, 64, 128)
        if t <= 2 * top and (t >= 1 or min(ratios, default=1) < 0.75)
    ]
    axes.set_xticks(ticks, [f"{t:g}x" for t in ticks])
    axes.minorticks_off()
    axes.set_xlim(min(0.8, *[r * 0.9 for r in ratios]), top * 1.9)
    axes.set_yticks(
        range(len(rows)), [row["row"] for row in rows], fontsize=7.5, family="monospace"
    )
    axes.set_ylim(-0.7, len(rows) - 0.3)
    for i, row in enumerate(rows):
        best = SHORT.get(row["best_peer"], row["best_peer"])
        axes.text(
            max(row["ratio"], 1) * 1.03,
            i,
            f"{row['ratio']:.2f}  ({best})",
            va="center",
            fontsize=7.5,
        )
    axes.axvline(1.0, color="black", linewidth=1)
    axes.spines[["top", "right"]].set_visible(False)
    threads = result["settings"]["threads"]
    peers = ", ".join(SHORT.get(name, name) for name in result["settings"]["peers"])
    title = f"Times faster than the best of {peers}"
    title += f"; {threads} thread{'s' if threads > 1 else ''}"
    for family, means_of in result["means"].items():
        if means_of["long_median_us"] is not None:
            title += f"; {family}: geometric mean {means_of['long_median_us']:.2f}x"
    axes.set_title(
        f"{title}\n(the row's best peer in parentheses; pale: calls of a few microseconds)",
        fontsize=10,
    )
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
