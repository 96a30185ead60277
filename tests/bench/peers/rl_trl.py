"""Steps of TRL's GRPOTrainer on the same model and batch: the trainer runs in a thread and waits between its steps."""
import queue
import threading
import time

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, TrainerCallback
from trl import GRPOConfig, GRPOTrainer

from serve import serve

BEGIN, END, PAD = 1, 2, 0
commands, answers = queue.Queue(), queue.Queue()


def model_of(size, parameters, folder):
    """Loads the model from a folder, since the trainer loads its reference model from there."""
    config = GPT2Config(
        vocab_size=size['vocabulary'], n_positions=size['context'], n_embd=size['width'], n_layer=size['layers'], n_head=size['heads'], resid_pdrop=0, embd_pdrop=0, attn_pdrop=0,
        bos_token_id=BEGIN, eos_token_id=END, pad_token_id=PAD, attn_implementation='sdpa')
    model = GPT2LMHeadModel(config)
    with open(parameters, 'rb') as file, torch.no_grad():
        for parameter in model.transformer.parameters():
            file.readinto(memoryview(parameter.numpy()).cast('B'))
        if file.read(1):
            raise ValueError('the file holds more parameters than this model')
    model.save_pretrained(folder)
    return GPT2LMHeadModel.from_pretrained(folder, attn_implementation='sdpa')


def tokenizer_of(size):
    """A tokenizer with one word per token."""
    words = Tokenizer(models.WordLevel({f't{id}': id for id in range(size['vocabulary'])}, unk_token='t3'))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=words, bos_token=f't{BEGIN}', eos_token=f't{END}', pad_token=f't{PAD}', padding_side='left')


class Gate(TrainerCallback):
    """Blocks the trainer before each step until a step is requested."""

    def __init__(self):
        self.written, self.reward, self.start = 0, 0.0, 0.0

    def on_step_begin(self, *_, **__):
        commands.get()
        self.written, self.start = 0, time.perf_counter()

    def on_step_end(self, *_, **__):
        seconds = time.perf_counter() - self.start
        answers.put({'seconds': seconds, 'breakdown': {}, 'tokens': self.written, 'reward': self.reward})

    def rewards(self, prompts, completion_ids, **_):
        """Share of an answer's tokens that occur in its prompt."""
        held = [{int(word[1:]) for word in prompt.split()[1:]} for prompt in prompts]
        self.written += sum(len(ids) for ids in completion_ids)
        scores = [sum(id in own for id in ids) / len(ids) for own, ids in zip(held, completion_ids)]
        self.reward = sum(scores) / len(scores)
        return scores


def open_run(size, threads, parameters, prompt, answer, prompts, attempts, optimizer, rowsAtOnce, folder):
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    rows = prompts * attempts
    prompt_tokens = torch.randint(3, size['vocabulary'], (64 * prompts, prompt)).tolist()
    gate = Gate()
    trainer = GRPOTrainer(
        model=model_of(size, parameters, f'{folder}/model'), processing_class=tokenizer_of(size), reward_funcs=gate.rewards, callbacks=[gate],
        train_dataset=Dataset.from_dict({'prompt': [' '.join(f't{id}' for id in ids) for ids in prompt_tokens]}),
        args=GRPOConfig(
            output_dir=folder, use_cpu=True, bf16=False, gradient_checkpointing=False, use_vllm=False, per_device_train_batch_size=min(rows, rowsAtOnce),
            gradient_accumulation_steps=max(1, rows // rowsAtOnce), num_generations=attempts, max_completion_length=answer, temperature=1.0, beta=0.01, epsilon=0.2, loss_type='grpo',
            num_iterations=1, optim='adamw_torch_fused', learning_rate=optimizer['learningRate'], adam_beta1=optimizer['beta1'], adam_beta2=optimizer['beta2'], weight_decay=optimizer['weightDecay'],
            max_grad_norm=optimizer['clipNorm'], lr_scheduler_type='constant', max_steps=1_000_000, save_strategy='no', report_to=[], logging_strategy='no', disable_tqdm=True))
    threading.Thread(target=train, args=(trainer,), daemon=True).start()


def train(trainer):
    try:
        trainer.train()
    except Exception as error:
        answers.put(error)


def step():
    commands.put('step')
    answer = answers.get()
    if isinstance(answer, Exception):
        raise answer
    return answer


serve({'open': open_run, 'step': step})
