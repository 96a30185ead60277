"""Output of Python's `tokenizers` for every part that a BPE tokenizer.json can have. Writes tokenizer-parts.json.

Each case replaces parts of one of the small tokenizers of tokenizers/. Run with tokenizers 0.23, without this folder in the import path: python -P tokenizer_parts.py
"""
import json
from pathlib import Path
from tokenizers import Tokenizer

here = Path(__file__).parent
bases = {name: json.loads((here / "tokenizers" / name / "tokenizer.json").read_text()) for name in ("gpt2", "sentencepiece")}
texts = [
    "Natalia sold 48 clips in April; she'd sold half (24) in May.", "def f(x):\n    return x ** 2  # squares\n\n", "Wir zählen: e\u0301 vs é, na\u0308ive ÅΩ ﬁ ½ ² Ⅷ", "漢字かな交じり文。「はい」、三３", "العربية ١٢٣ हिन्दी 한국어 ไทย",
    "👨‍👩‍👧 🤷🏽‍♀️ 🎉🎉!", "a\u200cb\u200dc a\u00adb", "null\x00byte \x07\x1b \x1cfs\x1f", "\u00a0nbsp\u2003em\u3000wide\u2028line\u2029par\x85nel\ufeffbom\u200bzero", "\ufeff \ufeff\ufeff! x\ufeff\ufeff?", "", " ", "  \t\n ", "x" * 30, "  lead trail  ",
    "a_b-c.d,e", "$1 + €2 = 3\u00d74", "ΑΣ Straße İ", "12345 6 78", "!!! ... ??!a--b", "one  two   three", "\r\n\r\nCR\r", "a<x>b <x> c<x>", "<w>word <w> x<w>", "▁mark ▁▁ two", "don't DON'T", "a\u0300\u0301b", "\U0001d400\U0001d401 𝟙",
]


def sequence(*parts):
    return {"type": "Sequence", "pretokenizers": list(parts)}


def normalizers(*parts):
    return {"type": "Sequence", "normalizers": list(parts)}


def decoders(*parts):
    return {"type": "Sequence", "decoders": list(parts)}


def added(**settings):
    return {"id": 1000, "content": settings.pop("content", "<x>"), "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False, **settings}


raw = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
byte_level = {**raw, "use_regex": True}
llama3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
o200k = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def splitting(pattern, behavior, invert=False):
    return {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}


pre_tokenizers = {
    "ByteLevel": byte_level, "ByteLevel with a space": {**byte_level, "add_prefix_space": True}, "ByteLevel, whole": raw, "ByteLevel with a space, whole": {**raw, "add_prefix_space": True}, "none": None,
    "Whitespace": sequence({"type": "Whitespace"}, raw), "WhitespaceSplit": sequence({"type": "WhitespaceSplit"}, raw), "Digits": sequence({"type": "Digits", "individual_digits": False}, byte_level),
    "Digits, each": sequence({"type": "Digits", "individual_digits": True}, byte_level), "BertPreTokenizer": sequence({"type": "BertPreTokenizer"}, raw), "FixedLength": sequence({"type": "FixedLength", "length": 5}, raw),
    "UnicodeScripts": sequence({"type": "UnicodeScripts"}, raw), "CharDelimiterSplit": sequence({"type": "CharDelimiterSplit", "delimiter": "a"}, raw),
    **{f"Punctuation {b}": sequence({"type": "Punctuation", "behavior": b}, raw) for b in ("Isolated", "Contiguous", "Removed", "MergedWithPrevious", "MergedWithNext")},
    **{f"Split {b}{' inverted' if i else ''} {k}": sequence(splitting({k: p}, b, i), raw) for b in ("Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous") for i in (False, True) for k, p in (("String", " "), ("Regex", r"\s+|\d"))},
    "Split Removed captures": sequence(splitting({"Regex": r"(\s)+"}, "Removed"), raw),
    **{f"Split {n}": sequence(splitting({"Regex": p}, "Isolated"), raw) for n, p in (("llama 3", llama3), ("o200k", o200k), ("words", r"\w+|\W"), ("posix", r"[[:alpha:]]+|[[:punct:]]"), ("boundary", r"\b"), ("lines", r"^.*$"))},
    "Metaspace over bytes": sequence({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": False}, raw),
}
normalizer_cases = {
    **{form: {"type": form} for form in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel")}, "Strip": {"type": "Strip", "strip_left": True, "strip_right": True},
    "Prepend": {"type": "Prepend", "prepend": "_"}, "Replace String": {"type": "Replace", "pattern": {"String": "a"}, "content": "b"}, "Replace to dollar": {"type": "Replace", "pattern": {"String": "a"}, "content": "$&"},
    "Replace Regex": {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "}, "BertNormalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
    "Sequence": normalizers({"type": "NFKC"}, {"type": "Replace", "pattern": {"String": " "}, "content": "_"}),
}
metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
fallback = [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"}]
cases = {
    **{f"pre-tokenizer {name}": ("gpt2", {"pre_tokenizer": part}) for name, part in pre_tokenizers.items()},
    **{f"normalizer {name}": ("gpt2", {"normalizer": part}) for name, part in normalizer_cases.items()},
    **{f"SentencePiece, {scheme}{', split' if split else ''}": ("sentencepiece", {"normalizer": None, "pre_tokenizer": {**metaspace, "prepend_scheme": scheme, "split": split}, "decoder": decoders({**metaspace, "prepend_scheme": scheme, "split": split}) if scheme == "first" else {**metaspace, "prepend_scheme": scheme, "split": split}})
       for scheme in ("always", "first", "never") for split in (False, True)},
    "SentencePiece, older Metaspace": ("sentencepiece", {"normalizer": None, "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "add_prefix_space": False}, "decoder": {"type": "Metaspace", "replacement": "▁", "add_prefix_space": False}}),
    "SentencePiece behind Whitespace": ("sentencepiece", {"normalizer": None, "pre_tokenizer": {"type": "Whitespace"}}), "SentencePiece behind Split": ("sentencepiece", {"normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}, "pre_tokenizer": splitting({"String": " "}, "MergedWithPrevious")}),
    "characters behind Whitespace": ("sentencepiece", {"normalizer": None, "pre_tokenizer": {"type": "Whitespace"}, "model": {"byte_fallback": False, "fuse_unk": False}}),
    "characters behind Whitespace, fused": ("sentencepiece", {"normalizer": None, "pre_tokenizer": {"type": "Whitespace"}, "model": {"byte_fallback": False, "fuse_unk": True}}),
    "characters, fused": ("sentencepiece", {"model": {"byte_fallback": False, "fuse_unk": True}}), "characters without unknown": ("sentencepiece", {"model": {"byte_fallback": False, "fuse_unk": False, "unk_token": None}}),
    "dropout": ("gpt2", {"model": {"dropout": 0.0}}), "continuing prefix": ("gpt2", {"model": {"continuing_subword_prefix": "##"}}), "word suffix": ("gpt2", {"model": {"end_of_word_suffix": "</w>"}}), "merges ignored": ("gpt2", {"model": {"ignore_merges": True}}),
    **{f"decoder {name}": ("sentencepiece", {"decoder": part}) for name, part in {
        "none": None, "fallback": decoders(*fallback), "fallback, stripped": decoders(*fallback, {"type": "Strip", "content": " ", "start": 1, "stop": 0}), "bytes alone": {"type": "ByteFallback"}, "Fuse": {"type": "Fuse"},
        "WordPiece": {"type": "WordPiece", "prefix": "##", "cleanup": True}, "BPEDecoder": {"type": "BPEDecoder", "suffix": "▁"}, "CTC": {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True}, "Replace Regex": {"type": "Replace", "pattern": {"Regex": "▁+"}, "content": " "}, "ByteLevel over pieces": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}}.items()},
    **{f"added token {name}": ("gpt2", {"added": added(**settings)}) for name, settings in {
        "plain": {}, "lstrip": {"lstrip": True}, "rstrip": {"rstrip": True}, "both": {"lstrip": True, "rstrip": True}, "single_word": {"single_word": True}, "word": {"content": "<w>", "lstrip": True}, "normalized": {"normalized": True}, "special": {"special": True}, "with a space": {"content": "two   three"}, "in letters": {"content": "zähl"}}.items()},
    "added token normalized by NFKC": ("gpt2", {"added": added(content="ﬁ", normalized=True), "normalizer": {"type": "NFKC"}}), "added token behind Prepend": ("sentencepiece", {"added": added(normalized=True)}), "added token before Prepend": ("sentencepiece", {"added": added()}),
    "added token, first": ("sentencepiece", {"added": added(), "normalizer": None, "pre_tokenizer": {**metaspace, "prepend_scheme": "first", "split": False}}),
}
written = {"texts": texts, "cases": []}
for name, (base, changes) in cases.items():
    file = json.loads(json.dumps(bases[base]))
    changes = dict(changes)
    if "added" in changes:
        token = changes.pop("added")
        token["id"] = max(max(file["model"]["vocab"].values()), max(t["id"] for t in file["added_tokens"])) + 1
        changes["added_tokens"] = [*file["added_tokens"], token]
    if "model" in changes:
        changes["model"] = {**file["model"], **changes["model"]}
    file.update(changes)
    entry = {"name": name, "base": base, "changes": {k: ({kk: v[kk] for kk in cases[name][1]["model"]} if k == "model" else v) for k, v in changes.items()}}
    try:
        tokenizer = Tokenizer.from_str(json.dumps(file))
        entry["ids"] = [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]
        # complete, and truncated as a sampled answer may be
        cut = [ids for text in entry["ids"] for ids in (text, text[: len(text) * 2 // 3], text[1:])]
        if base == "sentencepiece" or "added" in name or name == "pre-tokenizer ByteLevel":
            entry["decoded"] = [tokenizer.decode(ids, skip_special_tokens=False) for ids in cut]
    except BaseException as refusal:
        entry["refused"] = str(refusal)[:80]
    written["cases"].append(entry)
(here / "tokenizer-parts.json").write_text(json.dumps(written, ensure_ascii=False, separators=(",", ":")).replace('{"name"', '\n{"name"') + "\n")
