"""Sampling with a KV cache, as in a carefully written PyTorch loop."""
import torch
import torch.nn.functional as F


class Sampler:
    """Owns the KV cache, [layers, 2, B, heads, places, size], so that nothing large is allocated between batches."""

    def __init__(self, model, rows):
        self.model = model
        block, places = model.blocks[0], model.wpe.weight.shape[0]
        width = model.wte.weight.shape[1]
        self.cache = torch.zeros(len(model.blocks), 2, rows, block.heads, places, width // block.heads)

    @torch.inference_mode()
    def sample(self, prompts, lengths, copies=1):
        """
        Samples `copies` answers to each prompt [P, T], one for each of `lengths`. Answers to one prompt share its forward pass. The last active row
        replaces a row that has ended, so that only active rows are computed.
        Returns tokens and log-probabilities, [B, longest], in the order of the rows; padded with 0 after a row's end.
        """
        model, rows, start = self.model, len(prompts) * copies, prompts.shape[1]
        cache = self.cache[:, :, :rows]
        hidden = self._read(prompts, cache, copies)
        tokens, logps = torch.zeros(rows, max(lengths), dtype=torch.long), torch.zeros(rows, max(lengths))
        order, left, alive, token = list(range(rows)), list(lengths), rows, None
        where = torch.arange(rows)
        for step in range(max(lengths)):
            if step > 0:
                hidden = self._next(token, start + step - 1, cache[:, :, :alive])
            logp = F.log_softmax(F.linear(hidden, model.wte.weight), dim=-1)
            token = (logp - torch.empty_like(logp).exponential_().log_()).argmax(-1, keepdim=True)
            tokens[where, step] = token[:, 0]
            logps[where, step] = logp.gather(1, token)[:, 0]
            ended = [slot for slot in range(alive) if left[order[slot]] == step + 1]
            if not ended:
                continue
            for slot in reversed(ended):
                alive -= 1
                order[slot], token[slot] = order[alive], token[alive]
                if slot != alive:
                    cache[:, :, slot, :, :start + step] = cache[:, :, alive, :, :start + step]
            token, where = token[:alive], torch.tensor(order[:alive], dtype=torch.long)
        return tokens, logps

    def _read(self, prompts, cache, copies):
        """Fills the cache with the prompts; returns the hidden state of the last token of each row."""
        model, T = self.model, prompts.shape[1]
        x = model.wte(prompts) + model.wpe.weight[:T]
        for block, stored in zip(model.blocks, cache):
            query, key, value = block.qkv(x)
            stored[0, :, :, :T] = key.repeat_interleave(copies, 0)
            stored[1, :, :, :T] = value.repeat_interleave(copies, 0)
            x = block.rest(x, F.scaled_dot_product_attention(query, key, value, is_causal=True).transpose(1, 2).reshape(x.shape))
        return model.ln_f(x[:, -1]).repeat_interleave(copies, 0)

    def _next(self, token, at, cache):
        """Computes one more token of every row at position `at`; returns its hidden state [B, D]."""
        model = self.model
        x = model.wte(token) + model.wpe.weight[at]
        for block, stored in zip(model.blocks, cache):
            query, key, value = block.qkv(x)
            stored[0, :, :, at:at + 1] = key
            stored[1, :, :, at:at + 1] = value
            read = F.scaled_dot_product_attention(query, stored[0, :, :, :at + 1], stored[1, :, :, :at + 1])
            x = block.rest(x, read.transpose(1, 2).reshape(x.shape))
        return model.ln_f(x[:, 0])
