"""A sample of the mutation run: rules broken at random are noticed. ``make mutate`` breaks them all."""

import random

from tests.books import IDS
from tests.mutation.bench import KILLED, fate
from tests.mutation.mutants import mutants

SAMPLE = 150
SEED = 21


def test_a_sample_of_broken_rules_is_noticed() -> None:
    everything = [mutant for book in IDS for mutant in mutants(book)]
    sample = random.Random(SEED).sample(everything, SAMPLE)
    assert [f"{mutant.book} {mutant}" for mutant in sample if fate(mutant).state != KILLED] == []
