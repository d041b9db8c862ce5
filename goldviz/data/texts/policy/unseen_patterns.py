"""Sentence patterns that no labelled text has, of the kinds that those have: a score tells reading from recall."""

from __future__ import annotations

from goldviz.data.texts.policy.grammar import Pattern, patterns

UNSEEN_PATTERNS: tuple[Pattern, ...] = (
    *patterns(
        "plain",
        "state",
        """
        The view of {people} is that {condition} {condition.is} {state}.
        {condition}, {people} {said} on {weekday}, {condition.was} {state} throughout {year}.
        """,
    ),
    *patterns(
        "plain",
        "event",
        """
        News of {event} reached {people} in {region} on {weekday}.
        """,
    ),
    *patterns(
        "direction",
        "measure*move",
        """
        For the {count.ordinal} time since {year}, {measure} {move}.
        {people} in {region} confirm that {measure} {measure.is} {move.doing}.
        {measure}, on which {people} keep a close eye, {move} {slightly} in {month}.
        """,
    ),
    *patterns(
        "direction",
        "measure*change",
        """
        In the view of {people}, the {change} in {measure} will go on {soon}.
        """,
    ),
    *patterns(
        "direction",
        "measure*move",
        """
        {measure2} {move2} in {month}, which is why {measure} {move} {slightly}.
        """,
        where="measure*move=measure2*move2",
    ),
    *patterns(
        "numbers",
        "ratio*pair",
        """
        Where {ratio} had been {pair.first} in {year.last}, it was {pair.second} in {year}.
        {people} put {ratio} at {pair.second}, after {pair.first} in {month}.
        """,
    ),
    *patterns(
        "numbers",
        "sums",
        """
        {firm} sold goods for {sums.second}, compared with {sums.first} a year earlier.
        """,
    ),
    *patterns(
        "negated",
        "-turn",
        """
        Nobody among {people} said that {condition} {condition.had} {turn.done}.
        """,
    ),
    *patterns(
        "negated",
        "-measure*move",
        """
        In {region}, {measure} did not {move.do} {period}.
        {committee} no longer sees {measure} {move.doing}.
        """,
    ),
    *patterns(
        "negated",
        "-state",
        """
        {people} would not call {condition} {state}.
        """,
    ),
    *patterns(
        "contrast",
        "measure2*move2",
        """
        While {measure} {move} in {region}, {measure2} {move2} {slightly}.
        {measure2} {move2} {slightly} in {month}, though {measure} {move}.
        """,
        where="measure*move=-measure2*move2",
    ),
    *patterns(
        "contrast",
        "turn",
        """
        Despite {event}, {condition} {turn} {slightly} {period}.
        """,
        where="turn=-event",
    ),
    *patterns(
        "turning",
        "measure*move",
        """
        {measure}, which {measure.had} {move2.done} in {month}, {move} {slightly} in {month2}.
        """,
        where="move=-move2",
    ),
    *patterns(
        "expectation",
        "measure*move*more",
        """
        In {region}, {measure} {move} {more} than {people} had {expected}.
        """,
    ),
    *patterns(
        "expectation",
        "-more",
        """
        In {month}, {measure} {move} {more} than many had feared.
        """,
        where="measure*move=-1",
    ),
    *patterns(
        "expectation",
        "ratio*above",
        """
        {people} were surprised to see {ratio} {above} their forecast.
        """,
    ),
    *patterns(
        "neutral",
        "0",
        """
        The next decision of {committee} is due on {date}.
        {people} use the yearly report of {bank} to compare {good} with {good2}.
        In {region}, {holding} {holding.was} {stable} {period}.
        """,
    ),
    *patterns(
        "unmoved",
        "0",
        """
        From {month} to {month2}, {measure} {measure.was} {stable}.
        """,
    ),
    *patterns(
        "conditional",
        "0",
        """
        Had {measure} {move.done}, {committee} would have met again in {month}.
        The plan says what {bank} does in case {measure} should {move.do}.
        """,
    ),
    *patterns(
        "balanced",
        "0",
        """
        In {region} {measure} {move}, in {region2} {measure.it} {move2}, and overall nothing changed.
        """,
        where="move=-move2",
    ),
)
