"""Makes the base of the small reward model: a Llama of two narrow layers whose embedding knows what words mean.

    python benchmarks/reward_model_base.py --model models/smollm2-135m --out runs/word-base

1. The vocabulary: the commonest lower-case words of SmolLM2's tokenizer (its ids go by frequency), letters and word
   endings for all others (WordPiece).
2. The embedding: what SmolLM2-135M-Instruct (Apache-2.0) makes of each word alone in its tenth layer, centred, cut to
   the leading principal components and scaled.
3. The chat template: behind each longer word of the prompt it marks whether a word of the completion begins alike, and
   behind the completion how many eighths of them do. A narrow model from scratch cannot learn from a thousand pairs to
   compare words; with the marks it need not.
4. The layers: new, with random weights. `rlenv train-rm` trains them.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers
from transformers import AutoModel, AutoTokenizer, LlamaConfig, LlamaForSequenceClassification, PreTrainedTokenizerFast

from rlenv.trainers.reward_models.tiny import SPECIAL, wrapped

WORDS, WIDTH, LAYERS, HEADS = 5000, 64, 2, 4
LAYER = 10
UNKNOWN = "<unk>"
SAID, UNSAID, SHARES = "§", "¶", "⁰¹²³⁴⁵⁶⁷⁸"
"""Marks of the template. They are no special tokens, but no completion can write the first two."""
ENDINGS = "s es ed d ing er ers est ly al ally ic y ies ness ment ments less ful able ive ion ions ation ity en n't"
SIGNS = [chr(code) for code in range(33, 127) if not chr(code).isupper()]
TEMPLATE = (
    "{% set last = messages[-1]['content'] if messages[-1]['role'] == 'assistant' else '' %}"
    "{% set said = ' ' ~ (last | lower | replace('\\n', ' ')) %}"
    "{% set count = namespace(said=0, all=0) %}"
    "{{ bos_token }}"
    "{% for m in messages %}{% if not (loop.last and m['role'] == 'assistant') %}"
    "{% for word in m['content'].split() %}"
    "{% set stem = (word | lower).strip('.,;:?!()\"\\'')[:4] %}{{ word }}"
    "{% if stem | length > 3 %}{% set count.all = count.all + 1 %}"
    "{% if ' ' ~ stem in said %}{% set count.said = count.said + 1 %}§{% else %}¶{% endif %}{% endif %} "
    "{% endfor %}{% endif %}{% endfor %}"
    "{{ sep_token }}{{ last | replace('§', ' ') | replace('¶', ' ') }}"
    "{% if count.all %} {{ '⁰¹²³⁴⁵⁶⁷⁸'[(8 * count.said / count.all) | round | int] }}{% endif %}"
    "{{ eos_token }}"
)
Values = NDArray[np.float32]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="models/smollm2-135m")
    parser.add_argument("--out", type=Path, default=Path("runs/word-base"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    save_base(options.model, options.out)
    print(f"base: {options.out}")


def save_base(model: str, out: Path) -> None:
    """Write the base: tokenizer with template, embedding, new layers."""
    teacher = AutoTokenizer.from_pretrained(model)
    by_id = sorted((place, token) for token, place in teacher.get_vocab().items())
    words = [token[1:] for _, token in by_id if re.fullmatch("Ġ[a-z]{2,18}", token)][:WORDS]
    tokenizer = words_tokenizer(words)
    places = tokenizer.get_vocab()
    learned = sorted(places, key=places.__getitem__)[len(SPECIAL) + 1 : -len(SAID + UNSAID + SHARES)]
    torch.manual_seed(0)
    narrow = LlamaForSequenceClassification(narrow_config(tokenizer))
    with torch.no_grad():
        embedding = narrow.model.embed_tokens.weight.normal_()
        vectors = torch.from_numpy(principal(word_vectors(model, learned)))
        embedding[[places[token] for token in learned]] = vectors
    narrow.save_pretrained(out)
    tokenizer.save_pretrained(out)


def words_tokenizer(words: Sequence[str]) -> PreTrainedTokenizerFast:
    """Words in lower case, longest first; what is no word falls into beginnings, letters and endings."""
    pieces = [f"##{piece}" for piece in (*SIGNS, *ENDINGS.split())]
    vocabulary = dict.fromkeys([*SPECIAL, UNKNOWN, *SIGNS, *pieces, *words, SAID, UNSAID, *SHARES])
    places = {token: place for place, token in enumerate(vocabulary)}
    core = Tokenizer(models.WordPiece(places, unk_token=UNKNOWN, max_input_chars_per_word=60))
    core.normalizer = normalizers.Lowercase()
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    core.decoder = decoders.WordPiece()
    return wrapped(core, unk_token=UNKNOWN, chat_template=TEMPLATE)


def word_vectors(model: str, vocabulary: Sequence[str]) -> Values:
    """The hidden state of LAYER at the last token of each word alone; endings stand without a space before them."""
    tokenizer = AutoTokenizer.from_pretrained(model)
    teacher = AutoModel.from_pretrained(model, dtype=torch.float32).eval()
    found = np.zeros((len(vocabulary), teacher.config.hidden_size), np.float32)
    texts = [token[2:] if token.startswith("##") and len(token) > 2 else f" {token}" for token in vocabulary]
    ids = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]
    by_length = sorted(range(len(ids)), key=lambda place: len(ids[place]))
    for start in range(0, len(by_length), 128):
        places = by_length[start : start + 128]
        longest = max(len(ids[place]) for place in places)
        padded = torch.tensor([[0, *ids[p], *[0] * (longest - len(ids[p]))] for p in places])  # causal: padding is last
        with torch.no_grad():
            states = teacher(padded, output_hidden_states=True).hidden_states[LAYER]  # (B, T, H)
        for row, place in enumerate(places):
            found[place] = states[row, len(ids[place])].numpy()
    return found


def principal(vectors: Values) -> Values:
    """The leading principal components, scaled to a deviation of 1."""
    centred = vectors - vectors.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    reduced = centred @ axes[:WIDTH].T
    return np.asarray(reduced / reduced.std(), np.float32)


def narrow_config(tokenizer: PreTrainedTokenizerFast) -> LlamaConfig:
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=WIDTH,
        intermediate_size=2 * WIDTH,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=HEADS,
        max_position_embeddings=8192,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    config.num_labels = 1
    return config


if __name__ == "__main__":
    main()
