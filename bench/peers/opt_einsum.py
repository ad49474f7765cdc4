"""opt_einsum's order of contraction, carried out by PyTorch. Contractions only."""

import opt_einsum
import torch

from peers import serve
from peers.torch import storage_of, tensor_of


def prepare(problem, data, threads):
    del data, threads
    raise serve.Unsupported(problem.op)


def einsum(problem, operands, threads):
    torch.set_num_threads(threads)
    if problem.reduced == 1 and len(operands) == 1:
        raise serve.Unsupported("gives a view")
    x = [tensor_of(each, problem.dtype) for each in operands]
    expression = opt_einsum.contract_expression(problem.equation, *problem.shapes)

    def call():
        return expression(*x, backend="torch")

    return [("contract", call, lambda: (problem.output_dtype, storage_of(call(), problem.dtype)))]


if __name__ == "__main__":
    with torch.inference_mode():
        serve.main(prepare, opt_einsum.__version__, einsum)
