"""Byte pairs: 1,000 merges of a megabyte, beside a naive recount and beside Hugging Face's tokenizers.

Run by hand: python benchmarks/byte_pairs.py

Seconds of one processor. The naive loop counts every pair anew for each merge, as textbooks tell it; it stands beside
ours on whole texts without a pattern, where there is most to count. Goals: 1,000 merges of 1 MB under 10 s; at most 3
times the naive recount for 10 merges, and never slower from 100 on. The libraries' rows are of the same text.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice, pairwise

from tokenizers import Tokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer

from goldviz.data.texts.byte_pieces import BytePieces, merges
from goldviz.data.texts.corpora import running_text
from goldviz.data.texts.pair_merges import Pair, learned
from goldviz.labs.text_tokens.sources import python_code

EXPRESSIONS = {name: pattern.expression for name, pattern in SPLIT_PATTERNS.items()}

MEGABYTE = 1_000_000
SHORT = 100_000


def text_of(length: int) -> str:
    """So many bytes of Python's documentation and code."""
    return (running_text("python") + python_code() + running_text("names")).encode()[:length].decode(errors="ignore")


def naive(numbers: list[int]) -> Iterator[Pair]:
    """Count all, merge the most frequent, count all again."""
    token = 256
    while True:
        counts = Counter(pairwise(numbers))
        pair = max(counts, key=counts.__getitem__)
        yield pair
        found, at = [], 0
        while at < len(numbers):
            both = at + 1 < len(numbers) and (numbers[at], numbers[at + 1]) == pair
            found.append(token if both else numbers[at])
            at += 1 + both
        numbers, token = found, token + 1


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def library(text: str, size: int) -> None:
    tokeniser = Tokenizer(BPE())
    tokeniser.pre_tokenizer = ByteLevel(add_prefix_space=False)
    alphabet = ByteLevel.alphabet()
    trainer = BpeTrainer(vocab_size=size, min_frequency=2, show_progress=False, initial_alphabet=alphabet)
    tokeniser.train_from_iterator([text], trainer)


def main() -> None:
    text = text_of(MEGABYTE)
    print(f"1,000 merges of {len(text.encode()):,} bytes:")
    for name, expression in EXPRESSIONS.items():
        took = seconds(lambda expression=expression: list(islice(merges(text, expression), 1000)))
        pieces = BytePieces.learned_from(text, 1256, expression)
        encoding = seconds(lambda pieces=pieces: pieces.encode(text))
        print(f"  {name:12s} learned {took:5.2f} s, encoded {encoding:5.2f} s")
    print(f"  {'tokenizers':12s} learned {seconds(lambda: library(text, 1256)):5.2f} s with GPT-2's pattern")

    numbers = list(text_of(SHORT).encode())
    print(f"{len(numbers):,} bytes without a pattern, beside a naive recount:")
    for count in (1, 10, 100, 300):
        ours = seconds(lambda count=count: list(islice(learned([numbers], 256), count)))
        theirs = seconds(lambda count=count: list(islice(naive(list(numbers)), count)))
        print(f"  {count:4d} merges: ours {ours:.3f} s, naive {theirs:.3f} s, ratio {ours / theirs:.3f}")


if __name__ == "__main__":
    main()
