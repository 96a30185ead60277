"""GPT-2 written for speed in PyTorch: fused attention, weights in the layout of F.linear, tied embedding."""
import torch
import torch.nn.functional as F
from torch import nn


class Adapted(nn.Module):
    """A frozen linear layer plus a trained low-rank product (LoRA)."""

    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear, self.scale = linear.requires_grad_(False), alpha / rank
        self.a, self.b = nn.Parameter(torch.zeros(rank, linear.in_features)), nn.Parameter(torch.zeros(linear.out_features, rank))

    def forward(self, x):
        return self.linear(x) + F.linear(F.linear(x, self.a), self.b * self.scale)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1 = nn.LayerNorm(width, eps=1e-5)
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)
        self.ln_2 = nn.LayerNorm(width, eps=1e-5)
        self.c_fc = nn.Linear(width, 4 * width)
        self.mlp_proj = nn.Linear(4 * width, width)

    def qkv(self, x):
        """Query, key and value: [3, B, heads, T, size]."""
        B, T, D = x.shape
        return self.c_attn(self.ln_1(x)).view(B, T, 3, self.heads, D // self.heads).permute(2, 0, 3, 1, 4)

    def rest(self, x, read):
        x = x + self.c_proj(read)
        return x + self.mlp_proj(F.gelu(self.c_fc(self.ln_2(x)), approximate='tanh'))

    def forward(self, x):
        query, key, value = self.qkv(x)
        read = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.rest(x, read.transpose(1, 2).reshape(x.shape))


class GPT2(nn.Module):
    def __init__(self, width, layers, heads, context, vocabulary, adapter=None, **_):
        super().__init__()
        self.adapter = adapter
        self.wte = nn.Embedding(vocabulary, width)
        self.wpe = nn.Embedding(context, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width, eps=1e-5)

    def hidden(self, tokens):
        """[B, T] → [B, T, D]."""
        x = self.wte(tokens) + self.wpe.weight[:tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.ln_f(x)

    def forward(self, tokens):
        """Logits of the next token at all positions but the last: [B, T] → [B, T − 1, V]."""
        return F.linear(self.hidden(tokens)[:, :-1], self.wte.weight)

    def in_order(self):
        """Parameters in the order of the engine's flat array, and whether they are transposed there."""
        yield self.wte.weight, False
        yield self.wpe.weight, False
        for block in self.blocks:
            for part in (block.ln_1, block.c_attn, block.c_proj, block.ln_2, block.c_fc, block.mlp_proj):
                yield part.weight, isinstance(part, nn.Linear)
                yield part.bias, False
        yield self.ln_f.weight, False
        yield self.ln_f.bias, False

    def load(self, path):
        """Reads the flat array that the engine wrote, without a second copy of it."""
        with open(path, 'rb') as file, torch.no_grad():
            for parameter, transposed in self.in_order():
                if not transposed:
                    file.readinto(memoryview(parameter.numpy()).cast('B'))
                else:
                    stored = torch.empty(parameter.shape[::-1])
                    file.readinto(memoryview(stored.numpy()).cast('B'))
                    parameter.copy_(stored.T)
            for parameter in self._adapt() if self.adapter else ():
                file.readinto(memoryview(parameter.numpy()).cast('B'))
            if file.read(1):
                raise ValueError('the file holds more parameters than this model')
        return self

    def _adapt(self):
        """Freezes the model and adds an adapter to every dense layer; yields the trained parameters in the engine's order."""
        self.requires_grad_(False)
        for block in self.blocks:
            for name in ('c_attn', 'c_proj', 'c_fc', 'mlp_proj'):
                adapted = Adapted(getattr(block, name), rank=self.adapter['rank'], alpha=self.adapter['alpha'])
                setattr(block, name, adapted)
                yield from (adapted.a, adapted.b)

    def trained(self):
        return [parameter for parameter in self.parameters() if parameter.requires_grad]


def adamw(model, learning_rate, beta1, beta2, epsilon, weight_decay):
    """PyTorch's fused AdamW, its fastest variant on a CPU."""
    return torch.optim.AdamW(model.trained(), lr=learning_rate, betas=(beta1, beta2), eps=epsilon, weight_decay=weight_decay, fused=True)
