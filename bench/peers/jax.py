"""JAX on the CPU, compiled. It takes no ready output and copies its input to where it likes."""

import jax
import jax.numpy as jnp
import ml_dtypes

from peers import serve

FOLDS = {
    "ReduceSum": jnp.sum,
    "ReduceMax": jnp.max,
    "ReduceMin": jnp.min,
    "ReduceProd": jnp.prod,
    "ReduceMean": jnp.mean,
    "ReduceLogSumExp": jax.scipy.special.logsumexp,
}


def function_of(problem):
    axes, keep, n = problem.axes, problem.keepdims, problem.reduced
    op = problem.op
    if op in ("ArgMax", "ArgMin"):
        find = jnp.argmax if op == "ArgMax" else jnp.argmin
        return lambda x: find(x, axis=axes[0], keepdims=keep)
    if problem.dtype == "bool":
        some = jnp.any if op == "ReduceMax" else jnp.all
        return lambda x: some(x, axis=axes, keepdims=keep)
    if op == "ReduceMean" and problem.dtype[0] in "iu":  # the mean of integers would be a float
        return lambda x: jax.lax.div(jnp.sum(x, axis=axes, keepdims=keep), n)
    if op in ("ReduceSum", "ReduceProd"):  # with the row's own type: small integers are widened
        return lambda x: FOLDS[op](x, axis=axes, keepdims=keep, dtype=x.dtype)
    if op in FOLDS:
        return lambda x: FOLDS[op](x, axis=axes, keepdims=keep)
    total = {
        "ReduceL1": lambda x: jnp.sum(jnp.abs(x), axis=axes, keepdims=keep),
        "ReduceSumSquare": lambda x: jnp.sum(jnp.square(x), axis=axes, keepdims=keep),
        "ReduceL2": lambda x: jnp.sqrt(jnp.sum(jnp.square(x), axis=axes, keepdims=keep)),
        "ReduceLogSum": lambda x: jnp.log(jnp.sum(x, axis=axes, keepdims=keep)),
    }
    return total[op]


def prepare(problem, data, threads):
    del threads  # the environment that the driver sets
    function = function_of(problem)
    compiled = jax.jit(lambda x: function(jnp.transpose(x, problem.perm) if problem.perm else x))
    x = jax.device_put(data.view(ml_dtypes.bfloat16) if problem.dtype == "bf16" else data)
    x.block_until_ready()

    def call():
        compiled(x).block_until_ready()

    return [("jit", call, lambda: serve.storage_of(compiled(x)))]


def einsum(problem, operands, threads):
    del threads
    x = [each.view(ml_dtypes.bfloat16) if problem.dtype == "bf16" else each for each in operands]
    x = [jax.device_put(each) for each in x]
    compiled = jax.jit(lambda *args: jnp.einsum(problem.equation, *args, optimize="optimal"))

    def call():
        compiled(*x).block_until_ready()

    return [("jit", call, lambda: serve.storage_of(compiled(*x)))]


if __name__ == "__main__":
    serve.main(prepare, jax.__version__, einsum)
