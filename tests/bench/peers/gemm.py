"""Matrix products of a training step alone, in PyTorch."""
import statistics
import time

import torch

from serve import serve

measured = []


def open_products(products, threads):
    torch.set_num_threads(threads)
    for product in products:
        m, k, n, batch = (product[name] for name in ('m', 'k', 'n', 'batch'))
        shaped = lambda rows, columns: torch.rand(batch, rows, columns) if batch > 1 else torch.rand(rows, columns)
        repeats = max(1, min(16, round(1e9 / (2 * m * k * n * batch))))
        lefts = [shaped(k, m).mT if product['transposeA'] else shaped(m, k) for _ in range(repeats)]
        right = shaped(n, k).mT if product['transposeB'] else shaped(k, n)
        out = torch.empty(batch, m, n) if batch > 1 else torch.empty(m, n)
        measured.append((lefts, right, out))
    measure()


def measure():
    """Milliseconds of one product of each shape, in order."""
    times = []
    with torch.inference_mode():
        for lefts, right, out in measured:
            runs = []
            for _ in range(4):
                start = time.perf_counter()
                for left in lefts:
                    torch.matmul(left, right, out=out)
                runs.append(1000 * (time.perf_counter() - start) / len(lefts))
            times.append(statistics.median(runs[1:]))
    return times


serve({'open': open_products, 'measure': measure})
