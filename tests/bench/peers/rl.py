"""One GRPO step in PyTorch: a group of answers to each prompt, sampled with a KV cache; group advantages; reference; one update."""
import copy
import time

import torch
import torch.nn.functional as F

from gpt2 import GPT2, adamw
from sampling import Sampler
from serve import serve

state = {}


def open_run(size, threads, parameters, prompt, answer, prompts, attempts, optimizer, rowsAtOnce, folder):
    torch.set_num_threads(threads)
    policy = GPT2(**size).load(parameters)
    reference = copy.deepcopy(policy).requires_grad_(False)
    update = adamw(policy, *(optimizer[name] for name in ('learningRate', 'beta1', 'beta2', 'epsilon', 'weightDecay')))
    state.update(locals(), sampler=Sampler(policy, prompts * attempts), drawn=0)


def logp_of(model, rows, prompt):
    """Log-probability of each token of the answers: [B, T] → [B, T − prompt]."""
    logits = F.linear(model.hidden(rows)[:, prompt - 1:-1], model.wte.weight)
    return -F.cross_entropy(logits.flatten(0, 1), rows[:, prompt:].flatten(), reduction='none').view(len(rows), -1)


def step():
    """Seconds of one step, in total and by phase; number of sampled tokens."""
    size, prompt, answer, attempts, at_once = (state[name] for name in ('size', 'prompt', 'answer', 'attempts', 'rowsAtOnce'))
    policy, reference, update = (state[name] for name in ('policy', 'reference', 'update'))
    marks = [time.perf_counter()]
    mark = lambda: marks.append(time.perf_counter())
    torch.manual_seed(state['drawn'])
    state['drawn'] += 1
    prompt_tokens = torch.randint(3, size['vocabulary'], (state['prompts'], prompt))
    answers, behavior = state['sampler'].sample(prompt_tokens, [answer] * (len(prompt_tokens) * attempts), attempts)
    prompt_tokens = prompt_tokens.repeat_interleave(attempts, 0)
    rows = torch.cat([prompt_tokens, answers], 1)
    mark()
    rewards = (answers[:, :, None] == prompt_tokens[:, None, 1:]).any(2).float().mean(1)
    groups = rewards.view(-1, attempts)
    advantages = ((groups - groups.mean(1, keepdim=True)) / (groups.std(1, keepdim=True) + 1e-6)).flatten()
    mark()
    with torch.inference_mode():
        under_reference = torch.cat([logp_of(reference, part, prompt) for part in rows.split(at_once)])
    mark()
    for part, old, ref, advantage in zip(*(x.split(at_once) for x in (rows, behavior.clone(), under_reference.clone(), advantages[:, None]))):
        logp = logp_of(policy, part, prompt)
        ratio = torch.exp(logp - old)
        surrogate = torch.minimum(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)
        d = logp - ref
        loss = (0.01 * (torch.exp(-d) - 1 + d) - surrogate).sum() / rows[:, prompt:].numel()
        loss.backward()
    torch.nn.utils.clip_grad_norm_(policy.trained(), state['optimizer']['clipNorm'])
    update.step()
    update.zero_grad(set_to_none=True)
    mark()
    names = ('sampling', 'advantages', 'reference', 'update')
    return {'seconds': marks[-1] - marks[0], 'breakdown': {name: b - a for name, a, b in zip(names, marks, marks[1:])}, 'tokens': answers.numel(), 'reward': rewards.mean().item()}


serve({'open': open_run, 'step': step})
