"""One contender: a process that sleeps on a pipe, stopped whenever it is not asked something."""

import json
import os
import pathlib
import selectors
import signal
import subprocess
import sys
import time

from peers import tblis

HERE = pathlib.Path(__file__).resolve().parent
PEERS = ("numpy", "torch", "onnxruntime", "openvino", "jax", "opt_einsum")
# Not installed by bench/setup: they take part where a copy is found.
OPTIONAL_PEERS = {"tblis": tblis.find}


class Failure(Exception):
    """The contender said no, died, or took too long."""


class Contender:
    def __init__(self, name, argv, threads, patience=300.0):
        self.name, self._argv, self.threads = name, argv, threads
        self._patience = patience  # seconds for one answer
        self._process = None
        self.version = ""

    def start(self):
        if self._process is not None:
            return
        self._process = subprocess.Popen(
            self._argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get("BENCH_VERBOSE") else subprocess.DEVNULL,
            env=environment(self.threads),
            cwd=HERE,
        )
        os.sched_setaffinity(self._process.pid, cpus(self.threads))
        self.version = self._answer().get("version", "")
        self._signal(signal.SIGSTOP)

    def ask(self, **command):
        """Sends a command and returns the answer; Failure says why there is none."""
        self.start()
        self._signal(signal.SIGCONT)
        try:
            self._process.stdin.write((json.dumps(command) + "\n").encode())
            self._process.stdin.flush()
        except OSError as error:
            self.close()
            raise Failure("died") from error
        answer = self._answer()
        self._signal(signal.SIGSTOP)
        if not answer.get("ok"):
            raise Failure(answer.get("why", "no reason given"))
        return answer

    def close(self):
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()
        self._process = None

    def _answer(self):
        deadline = time.monotonic() + self._patience
        line = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while not line.endswith(b"\n"):
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    self.close()
                    raise Failure(f"no answer within {self._patience:.0f} s")
                piece = os.read(self._process.stdout.fileno(), 1 << 16)
                if not piece:
                    self.close()
                    raise Failure("died")
                line += piece
        return json.loads(line)

    def _signal(self, number):
        # Stopped, a contender's threads can't spin while another is timed, so each may keep the
        # waiting policy of its own that is fastest for it.
        self._process.send_signal(number)


def cpus(threads):
    """The last CPUs of those we have: the driver stays on the first."""
    return set(sorted(os.sched_getaffinity(0))[-threads:])


def environment(threads):
    """The same for every contender; only what sets the threads, and nothing that slows a peer."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OPENBLAS_", "OMP_", "MKL_"))}
    env |= {name: str(threads) for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    env |= {"TENFOLD_NUM_THREADS": str(threads), "JAX_PLATFORMS": "cpu", "JAX_ENABLE_X64": "1"}
    if threads == 1:
        env["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    return env


def chosen(named):
    """The peers of a comma-separated list, or with None all that there are; and why an optional
    one is left out: (names, lines). ValueError where a named one can't take part."""
    missing = {name: why for name, find in OPTIONAL_PEERS.items() for _, why in [find()] if why}
    if named is None:
        found = [*PEERS, *(name for name in OPTIONAL_PEERS if name not in missing)]
        return found, [f"{name} is left out: {why}" for name, why in missing.items()]
    names = [name for name in named.split(",") if name]
    known = [*PEERS, *OPTIONAL_PEERS]
    if unknown := set(names) - set(known):
        raise ValueError(f"unknown peers {sorted(unknown)}; known are {', '.join(known)}")
    for name in names:
        if name in missing:
            raise ValueError(f"{name} can't take part: {missing[name]}")
    return names, []


def peer(name, threads, *arguments):
    return Contender(name, [sys.executable, "-m", f"peers.{name}", *arguments], threads)
