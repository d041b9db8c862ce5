"""Sentences on networks whose answers are right or wrong."""

from tests.truth.predicates.training import diverged


def of_right(share):
    """Nearly all, some, or most wrong, by the share of right answers."""
    return {
        "diverged": diverged,
        "learned": lambda told: share(told) >= 0.99,
        "some_wrong": lambda told: (share(told) >= 0.5) & (share(told) < 0.99),
        "most_wrong": lambda told: share(told) < 0.5,
    }


def whole(told, times=1):
    return told.last("sequences_right", length=times * told.settings.length)


def of_length(told, length):
    return told.last("length_accuracy", length=length)


def peaks(told, *offsets):
    return told.last("peak_offset").sel(offset=list(offsets)).sum("offset", skipna=False)


def at_distance(told, place):
    return told.last("accuracy_by_distance").isel(distance=place)


def took(told, place):
    return told.last("step_share").isel(ponder_step=place)


NEURAL_TURING_MACHINE = {
    **of_right(whole),
    "longer": lambda told: whole(told, 2) >= 0.5,
    "only_trained_lengths": lambda told: whole(told, 2) < 0.5,
    "one_cell": lambda told: told.last("cells_used", head="read") <= 1.2,
}
ADAPTIVE_COMPUTATION = {
    **of_right(lambda told: told.last("accuracy")),
    "guesses": lambda told: told.last("accuracy") < 0.6,
    "stops_at_once": lambda told: took(told, 0) >= 0.95,
    "cut_off": lambda told: took(told, -1) > 0.5,
    "longer_where_harder": lambda told: told.last("correlation") >= 0.7,
    "not_longer_where_harder": lambda told: told.last("correlation") < 0.3,
}
ATTENTION_AGAINST_RECURRENCE = {
    "diverged": diverged,
    "finds_it_anywhere": lambda told: at_distance(told, slice(None)).min("distance") >= 0.9,
    "guesses": lambda told: (told.last("accuracy") < 0.3) & (at_distance(told, 0) < 0.5),
    "loses_far_ones": lambda told: (at_distance(told, 0) >= 0.5) & (at_distance(told, -1) < 0.5),
    "told_little_at_first": lambda told: told.of("input_gradient").isel(look=0, lag=-1) < 0.01,
}
ATTENTION_INTERFACE = {
    **of_right(lambda told: told.last("sequence_accuracy")),
    "loses_long_ones": lambda told: (
        (of_length(told, int(told.run.attrs["longest_trained"])) < 0.5)
        & (of_length(told, int(told.run.length.values[0])) >= 0.5)
    ),
    "beside_the_word": lambda told: peaks(told, -1, 1) > 0.5,
    "on_the_word": lambda told: peaks(told, 0) >= 0.9,
}
TRANSLATION_TRANSFORMER = {
    **of_right(lambda told: told.last("sequence_accuracy")),
    "worse_alone": lambda told: told.last("told_right") - told.last("free_right") > 0.1,
    "batch_takes_part": lambda told: told.last("neighbour_effect") > 0.01,
}
NEURAL_PROGRAMMER = {
    **of_right(lambda told: told.last("right")),
    "lucky_answers": lambda told: told.last("lucky") > 0.02,
    "undecided": lambda told: told.last("gap") > 0.1,
}
