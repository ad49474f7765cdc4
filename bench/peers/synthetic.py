"""A contender of known speed, for the benchmark's own tests: right values, a set time per call.

    python -m peers.synthetic MICROSECONDS [wrong | FACTOR]

`wrong` spoils the last result. With FACTOR it also answers the bandwidth command, as a kernel that
reads FACTOR times as fast as the plain read.
"""

import sys
import time

import check
import problem as rows
from peers import serve


def main(microseconds, extra=""):
    wait = int(float(microseconds) * 1000)

    def prepare(problem, data, threads):
        del threads
        value = check.exact(problem, [data]).value
        if problem.output_dtype == "bf16":
            value = rows.to_bf16(value)
        else:
            value = value.astype(rows.STORAGE[problem.output_dtype])
        if extra == "wrong":
            value.reshape(-1)[-1] += 1

        def call():
            end = time.perf_counter_ns() + wait
            while time.perf_counter_ns() < end:
                pass

        return [("waiting", call, lambda: (problem.output_dtype, value))]

    def bandwidth(command):
        del command
        kernel = [int(1e6 / float(extra))] * 3
        timed = {"loop": "plain", "kernel_ns": kernel, "read_ns": [1_000_000] * 3}
        return {"cold": timed, "hot": timed}

    known = {"bandwidth": bandwidth} if extra not in ("", "wrong") else {}
    serve.main(prepare, "1", further=known)


if __name__ == "__main__":
    main(*sys.argv[1:])
