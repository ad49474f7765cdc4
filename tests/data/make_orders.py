"""Makes orders.jsonl: random networks of 7 to 12 tensors and the least multiplications.

    pip install opt_einsum==3.4.0; python make_orders.py > orders.jsonl

The orders are those of opt_einsum's dynamic programming with outer products; what they cost is
counted here: for each step the product of the extents of all labels of both operands, after the
labels that nobody else has were summed.
"""

import json
import math
import random

from opt_einsum.paths import DynamicProgramming


def random_network(tensors: int, rng: random.Random):
    """Edges, hyperedges, batch labels, extents of 1; now and then a scalar or separate parts."""
    labels = tensors + rng.randint(-1, tensors)
    inputs = [[] for _ in range(tensors)]
    output, sizes = [], []
    parts = 2 if rng.random() < 0.25 else 1
    connected = tensors - 1 if rng.random() < 0.2 else tensors  # else the last one is a scalar
    for label in range(labels):
        part = [i for i in range(connected) if i % parts == label % parts]
        holders = rng.choices([1, 2, 3, 4], [1, 8, 2, 1])[0]
        for i in rng.sample(part, min(holders, len(part))):
            inputs[i].append(label)
        sizes.append(rng.choice([1, 2, 3, 4, 5, 8, 12, 20, 32]))
        if rng.random() < 0.2:
            output.append(label)
    return inputs, output, sizes


def multiplications(inputs, output, sizes, path):
    def needed(index, terms):
        others = set(output).union(*(t for i, t in enumerate(terms) if i != index))
        return terms[index] & others

    terms = [set(t) for t in inputs]
    terms = [needed(i, terms) for i in range(len(terms))]
    total = 0
    for positions in path:
        product, *taken = [terms.pop(i) for i in sorted(positions, reverse=True)]
        for term in taken:
            total += math.prod(sizes[x] for x in product | term)
            product |= term
        terms.append(product)
        assert len(taken) < 2  # else labels would have to be summed in between
        terms[-1] = needed(len(terms) - 1, terms)
    return total


def main():
    rng = random.Random(20)
    search = DynamicProgramming(minimize="flops", search_outer=True)
    for tensors in (7, 8, 9, 10, 11, 12):
        for _ in range(8 if tensors < 11 else 4):
            inputs, output, sizes = random_network(tensors, rng)
            path = search(list(map(set, inputs)), set(output), dict(enumerate(sizes)))
            flops = multiplications(inputs, output, sizes, path)
            row = {"inputs": inputs, "output": output, "sizes": sizes}
            row["log10_flops"] = round(math.log10(flops), 9)
            print(json.dumps(row, separators=(",", ":")), flush=True)


if __name__ == "__main__":
    main()
