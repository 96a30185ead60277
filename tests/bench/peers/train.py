"""Training steps in PyTorch: the same model, batches, loss, clipping and optimizer as the engine's."""
import time

import numpy
import torch
import torch.nn.functional as F

from gpt2 import GPT2, adamw
from serve import peak_mb, resident_mb, serve

loaded_mb = resident_mb()
step = None


def open_training(size, threads, files, compiled, optimizer):
    global step
    torch.set_num_threads(threads)
    model = GPT2(**size).load(files['parameters'])
    batches = torch.from_numpy(numpy.fromfile(files['tokens'], dtype=numpy.int32).astype(numpy.int64)).view(-1, size['batch'], size['context'])
    update = adamw(model, optimizer['learningRate'], optimizer['beta1'], optimizer['beta2'], optimizer['epsilon'], optimizer['weightDecay'])
    done = 0

    def loss_of(tokens):
        return F.cross_entropy(model(tokens).flatten(0, 1), tokens[:, 1:].flatten())

    loss_of = torch.compile(loss_of) if compiled else loss_of

    def one():
        nonlocal done
        loss = loss_of(batches[done % len(batches)])
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.trained(), optimizer['clipNorm'])
        update.step()
        update.zero_grad(set_to_none=True)
        done += 1
        return loss.item(), norm.item()

    step = one
    start = time.perf_counter()
    loss, norm = step()
    return {'parameters': sum(p.numel() for p in model.trained()), 'compileMs': 1000 * (time.perf_counter() - start), 'loss': loss, 'gradNorm': norm}


def steps(count):
    times, loss = [], 0
    for _ in range(count):
        start = time.perf_counter()
        loss, _ = step()
        times.append(1000 * (time.perf_counter() - start))
    return {'times': times, 'loss': loss}


serve({'open': open_training, 'steps': steps, 'peakMb': lambda: peak_mb(loaded_mb)})
