"""Writes tokenizers/: small tokenizers of every supported kind, the output of Python's `tokenizers` for some texts, and chat templates rendered by Transformers.

Run with tokenizers 0.23 and transformers 5, without this folder in the import path: python -P tokenizers.py
"""
import json
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

out = Path(__file__).parent / "tokenizers"
corpus = [
    "Natalia sold clips to 48 of her friends in April, and then she sold half as many clips in May.",
    "def f(x):\n    return x ** 2  # squares\n\nprint(f(12345))\n",
    "Wir zählen: eins, zwei, drei … naïve café, 漢字かな交じり文, привет мир, 🎉🎉 done.",
    "I'll say it's fine; they'd don't. WE'LL SEE.   Three   spaces.\t\tTabs.\r\nCRLF lines.\n\n\nThree newlines.",
] * 3
texts = corpus[:4] + [
    "", " ", "  leading and trailing  ", "12345678 1,234.56", "a<|end|>b <think>c</think>", "<s>[INST] x </s>", "e\u0301 vs é", "\u00a0nbsp\u2003em\u3000wide", "🤷🏽‍♀️ family 👨‍👩‍👧", "null\x00byte",
    "ﬁ ligature Å Ω", "don't DON'T Don'T", "x" * 40, "\n\n \n\t x", "العربية हिन्दी 한국어",
]
gpt2_split = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
llama3_split = r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""
qwen2_split = r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""


def trained(tokenizer, size, specials, **options):
    tokenizer.train_from_iterator(corpus, trainers.BpeTrainer(vocab_size=size, special_tokens=specials, show_progress=False, **options))
    return tokenizer


def byte_level(split, size=420, specials=("<|end|>",)):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False) if split is None else pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(split), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    return trained(tokenizer, size, list(specials), initial_alphabet=pre_tokenizers.ByteLevel.alphabet())


def gpt2():
    tokenizer = byte_level(None)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer, dict(bos_token="<|end|>", eos_token="<|end|>", unk_token="<|end|>")


def llama3():
    tokenizer = byte_level(llama3_split, specials=("<|begin|>", "<|end|>", "<|turn|>", "<|head|>", "<|/head|>"))
    tokenizer.model.ignore_merges = True
    tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), processors.TemplateProcessing(
        single="<|begin|> $A", pair="<|begin|> $A <|begin|> $B", special_tokens=[("<|begin|>", tokenizer.token_to_id("<|begin|>"))])])
    template = (
        "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{% set system = messages[0]['content'] | trim %}{% set messages = messages[1:] %}{% else %}{% set system = '' %}{% endif %}"
        "{{ '<|head|>system<|/head|>\\n\\nDay: ' + strftime_now('%d') | length | string + '\\n' + system + '<|turn|>' }}"
        "{% for m in messages %}{{ '<|head|>' + m['role'] + '<|/head|>\\n\\n' + m['content'] | trim + '<|turn|>' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|head|>assistant<|/head|>\\n\\n' }}{% endif %}"
    )
    return tokenizer, dict(bos_token="<|begin|>", eos_token="<|turn|>", chat_template=template)


def qwen2():
    tokenizer = byte_level(qwen2_split, specials=("<|end|>", "<|im_start|>", "<|im_end|>"))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.add_tokens([AddedToken("<think>", normalized=False), AddedToken("</think>", normalized=False)])
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    template = (
        "{%- if messages[0].role != 'system' %}{{- '<|im_start|>system\\nYou are a helper.<|im_end|>\\n' }}{%- endif %}"
        "{%- for message in messages %}\n    {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}\n{%- endfor %}"
        "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"
    )
    return tokenizer, dict(eos_token="<|im_end|>", pad_token="<|end|>", chat_template=template)


def sentencepiece():
    """As Llama 2 and Mistral: the word boundary is a character, and text outside the vocabulary is encoded as bytes."""
    start = Tokenizer(models.BPE(unk_token="<unk>"))
    start.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    trained(start, 230, ["<unk>", "<s>", "</s>"], limit_alphabet=40)
    described = json.loads(start.to_str())
    vocab = {"<unk>": 0, "<s>": 1, "</s>": 2, **{f"<0x{byte:02X}>": 3 + byte for byte in range(256)}}
    for token in sorted(described["model"]["vocab"], key=described["model"]["vocab"].get):
        vocab.setdefault(token, len(vocab))
    described["model"].update(vocab=vocab, byte_fallback=True, fuse_unk=True)
    tokenizer = Tokenizer.from_str(json.dumps(described))
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)])
    template = (
        "{{ bos_token }}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Roles must alternate user and assistant.') }}{% endif %}"
        "{% if message['role'] == 'user' %}{{ '[INST] ' + message['content'] + ' [/INST]' }}{% else %}{{ ' ' + message['content'] + eos_token }}{% endif %}{% endfor %}"
    )
    return tokenizer, dict(bos_token="<s>", eos_token="</s>", unk_token="<unk>", chat_template=template)


conversations = [
    [{"role": "user", "content": "What is 12 * 3?"}, {"role": "assistant", "content": "It is 36."}],
    [{"role": "user", "content": " Hi "}, {"role": "assistant", "content": "Hello!"}, {"role": "user", "content": "Bye"}, {"role": "assistant", "content": "See you, naïve 🎉"}],
    [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}],
]
expected = {"texts": texts, "conversations": conversations, "tokenizers": {}}
for name, make in dict(gpt2=gpt2, llama3=llama3, qwen2=qwen2, sentencepiece=sentencepiece).items():
    tokenizer, settings = make()
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False, separators=(",", ":")) + "\n")
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False, **settings}) + "\n")
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, **settings)
    plain, whole, decoded = [], [], []
    for text in texts:
        plain.append(tokenizer.encode(text, add_special_tokens=False).ids)
        whole.append(tokenizer.encode(text).ids)
        decoded.append(tokenizer.decode(plain[-1], skip_special_tokens=False))
    rendered = []
    for conversation in conversations if "chat_template" in settings else []:
        try:
            rendered.append({"text": fast.apply_chat_template(conversation, tokenize=False), "prompt": fast.apply_chat_template(conversation[:-1], tokenize=False, add_generation_prompt=True)})
        except Exception as refusal:
            rendered.append({"refused": str(refusal)})
    expected["tokenizers"][name] = {"vocabulary": tokenizer.get_vocab_size(), "plain": plain, "whole": whole, "decoded": decoded, "rendered": rendered}
(out / "expected.json").write_text(json.dumps(expected, separators=(",", ":")) + "\n")
