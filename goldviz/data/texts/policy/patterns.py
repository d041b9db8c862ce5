"""The sentence patterns that have a tone, by kind.

No pattern here is in :mod:`goldviz.data.texts.policy.unseen_patterns`, which holds other sentences of the same kinds.
"""

from __future__ import annotations

from goldviz.data.texts.policy.grammar import Pattern, patterns

TONED_PATTERNS: tuple[Pattern, ...] = (
    *patterns(
        "plain",
        "state",
        """
        {condition} {condition.is} {state}.
        {condition} {condition.was} {state} in {month}, {people} {said}.
        According to {people}, {condition} {condition.has} been {state} {period}.
        {people} described {condition} as {state}.
        {committee} {said} that {condition} {condition.was} {state} {period}.
        In {region}, {condition} {condition.was} {state} at the end of {month}.
        """,
    ),
    *patterns(
        "plain",
        "turn",
        """
        {condition} {turn} {slightly} {period}.
        {people} {said} that {condition} {condition.has} {turn.done} since {month}.
        {condition} {turn} in {quarter} of {year}, mainly because of {reason}.
        {committee} notes that {condition} {condition.is} {turn.doing}.
        {people} expect {condition} to {turn.do} {soon}.
        """,
    ),
    *patterns(
        "plain",
        "event",
        """
        {firm} reported {event} on {weekday}.
        {people} in {region} were surprised by {event}.
        {event} was the most important news of the week for {people}.
        On {date}, {bank} announced {event}.
        """,
    ),
    *patterns(
        "plain",
        "event",
        """
        {event} and {event2} marked {quarter} of {year} for {firm}.
        """,
        where="event=event2",
    ),
    *patterns(
        "direction",
        "measure*move",
        """
        {measure} {move} {slightly} in {month}.
        {measure} {measure.has} {move.done} {period}.
        {measure} {move} by {percent} {period}.
        {measure} {measure.is} {move.doing}, {people} {said}.
        In {quarter} of {year}, {measure} {move} {slightly}.
        In {region}, {measure} {move} {slightly} {period}.
        {people} {said} that {measure} {measure.had} {move.done} for {count} months in a row.
        {committee} expects {measure} to {move.do} {soon}.
        Since {month}, {measure} {measure.has} {move.done} {slightly}, mainly because of {reason}.
        {measure} {measure.has} continued to {move.do} {period}.
        Data released on {weekday} show that {measure} {move} {slightly} in {month} {year}.
        {measure} {move} {slightly} in {month}, and {measure.it} {move} again in the month that followed.
        Incoming information suggests that {measure} {measure.is} {move.doing} at {sharp.a} pace.
        As {people} {said} on {weekday}, {measure} {measure.was} {move.doing} in most districts.
        """,
    ),
    *patterns(
        "direction",
        "measure*change",
        """
        {people} noted {sharp.a} {change} in {measure} {period}.
        There was {sharp.a} {change} in {measure} {period}.
        {sharp.a} {change} in {measure} is under way in {region}.
        {quarter} of {year} brought {sharp.a} {change} in {measure}.
        The {change} in {measure} {period} reflects {reason}, {people} {said}.
        """,
    ),
    *patterns(
        "direction",
        "measure*height",
        """
        {measure} {measure.was} {height} in {month}.
        {measure} {measure.is} {height} {period}, and {people} expect {measure.it} to stay there.
        In {year}, {measure} {measure.was} {height}, because of {reason}.
        """,
    ),
    *patterns(
        "direction",
        "measure*move",
        """
        {measure} {move}, and so did {measure2}.
        {measure} and {measure2} {move} {slightly} {period}.
        Both {measure} and {measure2} have {move.done} since {month}.
        """,
        where="measure=measure2",
    ),
    *patterns(
        "direction",
        "measure*move",
        """
        {measure} {move} {slightly}, and as a result {measure2} {move2}.
        {measure} {move} while {measure2} {move2} {period}.
        Because {measure} {move}, {measure2} {move2} {slightly}.
        {measure2} {move2} after {measure} had {move.done}.
        """,
        where="measure*move=measure2*move2",
    ),
    *patterns(
        "direction",
        "measure*move",
        """
        {condition} {turn} {period}: {measure} {move} {slightly}.
        As {condition} {turn}, {measure} {move} {slightly}.
        {measure} {move} in {month}, so {people} think that {condition} {condition.has} {turn.done}.
        """,
        where="measure*move=turn",
    ),
    *patterns(
        "numbers",
        "ratio*pair",
        """
        {ratio} went {pair} in {month}.
        {ratio} was {pair.first} in {year.last} and {pair.second} in {year}.
        {ratio} moved {pair} between {month} and {month2}.
        After {pair.first} in {month}, {ratio} stood at {pair.second} in {month2}.
        The forecast of {people} for {ratio} was changed {pair}.
        {ratio} was {pair.second} at the end of {quarter}; a year earlier it had been {pair.first}.
        In {region}, {ratio} changed {pair} {period}.
        """,
    ),
    *patterns(
        "numbers",
        "ratio*pair",
        """
        {ratio} {move} {slightly}, {pair}.
        {ratio} {move} by {pair.by} to {pair.second} in {month}.
        {ratio} {move} {pair} in {quarter} of {year}.
        """,
        where="move=pair",
    ),
    *patterns(
        "numbers",
        "sums",
        """
        {firm} earned {sums.second} in {year}, after {sums.first} in {year.last}.
        Profits of {firm} went from {sums.first} to {sums.second}.
        {firm} paid a dividend of {sums.second}; a year earlier it was {sums.first}.
        """,
    ),
    *patterns(
        "numbers",
        "-sums",
        """
        {firm} lost {sums.second} in {year}, after a loss of {sums.first} in {year.last}.
        Credit losses of {bank} went from {sums.first} to {sums.second} {period}.
        """,
    ),
    *patterns(
        "numbers",
        "prices",
        """
        An ounce of gold cost {prices.second} on {weekday}, after {prices.first} a week earlier.
        Gold went from {prices.first} to {prices.second} an ounce {period}.
        The gold price was fixed at {prices.second}, where it had been {prices.first} in {month}.
        """,
    ),
    *patterns(
        "numbers",
        "prices",
        """
        Gold {move} by {prices.by} to {prices.second} an ounce on {weekday}.
        The price of gold {move} {slightly}, from {prices.first} to {prices.second} an ounce.
        """,
        where="move=prices",
    ),
    *patterns(
        "negated",
        "-turn",
        """
        {condition} did not {turn.do} in {month}.
        {condition} {condition.has} not {turn.done} since {month}.
        {people} saw no sign that {condition} {condition.was} {turn.doing}.
        {condition} {condition.is} no longer {turn.doing}, {committee} {said}.
        Neither {condition} nor {condition2} {turn} {period}.
        It is not true that {condition} {condition.has} {turn.done}, {people} {said}.
        {people} do not expect {condition} to {turn.do} {soon}.
        Hardly anyone in {region} thinks that {condition} will {turn.do} {soon}.
        """,
    ),
    *patterns(
        "negated",
        "-measure*move",
        """
        {measure} did not {move.do} in {month}.
        {measure} {measure.is} no longer {move.doing}.
        There was no evidence that {measure} {measure.was} {move.doing} in {quarter}.
        {measure} {measure.has} not {move.done} for {count} months.
        {people} ruled out that {measure} would {move.do} {soon}.
        Nothing suggests that {measure} will {move.do} {soon}.
        {measure} stopped {move.doing} in {month}.
        """,
    ),
    *patterns(
        "negated",
        "-measure*change",
        """
        {people} saw no {change} in {measure} {period}.
        Without {change.a} in {measure}, {quarter} of {year} ended as it had begun.
        The report does not show the {change} in {measure} of which {people} had spoken.
        """,
    ),
    *patterns(
        "negated",
        "-state",
        """
        {condition} {condition.is} not {state}.
        {condition} {condition.was} by no means {state} {period}.
        {people} do not regard {condition} as {state}.
        {condition} {condition.is} far from {state}, {people} {said}.
        {condition} {condition.is} neither {state} nor likely to become so {soon}.
        """,
    ),
    *patterns(
        "negated",
        "-event",
        """
        {firm} has not seen {event} since {year}.
        There was no talk of {event} in {region} any more.
        {people} {said} that {event} could be excluded.
        """,
    ),
    *patterns(
        "contrast",
        "measure2*move2",
        """
        Although {measure} {move}, {measure2} {move2} {slightly}.
        Even though {measure} {move} {slightly} in {month}, {measure2} {move2}.
        {measure} {move} {slightly}, but {measure2} {move2} even more.
        {measure2} {move2} {slightly} {period}, although {measure} {move}.
        Despite the news that {measure} {measure.had} {move.done}, {measure2} {move2} {slightly}.
        {measure} may have {move.done}, but what counts is that {measure2} {move2}.
        {measure2} {move2} {slightly}, even though {measure} {move} {period}.
        """,
        where="measure*move=-measure2*move2",
    ),
    *patterns(
        "contrast",
        "measure*move",
        """
        Despite {sharp.a} {change} in {measure2}, {measure} {move} {slightly}.
        {measure} {move} in {month} despite {sharp.a} {change} in {measure2}.
        In spite of {sharp.a} {change} in {measure2}, {people} {said} that {measure} {move}.
        """,
        where="measure*move=-measure2*change",
    ),
    *patterns(
        "contrast",
        "turn",
        """
        Although {condition2} {condition2.was} {state}, {condition} {turn} {slightly}.
        {condition} {turn} {period}, even though {condition2} {condition2.was} {state}.
        {condition2} {condition2.was} {state}, but {condition} {turn} {slightly}.
        """,
        where="turn=-state",
    ),
    *patterns(
        "contrast",
        "state",
        """
        After {event} {period}, {condition} {condition.is} nevertheless {state}.
        {condition} {condition.is} {state} in spite of {event}.
        Although {people} feared or hoped for {event}, {condition} {condition.is} {state}.
        """,
        where="state=-event",
    ),
    *patterns(
        "turning",
        "measure*move",
        """
        {measure} first {move2} and then {move} {slightly}.
        {measure} {move} in {month}, after {measure.it} had {move2.done} for {count} months.
        {measure} {move2} early in {year}, only to {move.do} {slightly} in {quarter}.
        Before {month}, {measure} {move2}; since then {measure.it} {measure.has} {move.done}.
        Having {move2.done} until {month}, {measure} {measure.is} now {move.doing}.
        """,
        where="move=-move2",
    ),
    *patterns(
        "turning",
        "turn",
        """
        {condition} {turn2} at first, and {turn} later in {year}.
        {condition}, which had {turn2.done} until {month}, {condition.has} since {turn.done}.
        """,
        where="turn=-turn2",
    ),
    *patterns(
        "expectation",
        "measure*move*more",
        """
        {measure} {move} {more} than {expected} in {month}.
        {measure} {move} {more} {period} than {people} had {expected}.
        {more} than {people} had {expected}, {measure} {move} in {quarter} of {year}.
        {people} {said} that {measure} {measure.had} {move.done} {more} than {expected}.
        """,
    ),
    *patterns(
        "expectation",
        "-more",
        """
        {measure} {move} {more} than feared.
        {measure} {move} {more} in {month} than {people} had feared.
        """,
        where="measure*move=-1",
    ),
    *patterns(
        "expectation",
        "more",
        """
        {measure} {move} {more} than hoped in {month}.
        {measure} {move} {more} {period} than {people} had hoped.
        """,
        where="measure*move=1",
    ),
    *patterns(
        "expectation",
        "-more",
        """
        {condition} {turn} {more} in {quarter} than {people} had feared.
        """,
        where="turn=-1",
    ),
    *patterns(
        "expectation",
        "more",
        """
        {condition} {turn} {more} in {quarter} than {people} had hoped.
        """,
        where="turn=1",
    ),
    *patterns(
        "expectation",
        "ratio*above",
        """
        {ratio} came in {above} the forecast of {percent} in {month}.
        At {percent}, {ratio} was {above} what {people} had {expected}.
        {ratio} was {above} the estimate of {people} for {quarter} of {year}.
        """,
    ),
    *patterns(
        "expectation",
        "ratio*pair",
        """
        {people} had {expected} {pair.first}, but {ratio} came in at {pair.second}.
        {ratio} was {pair.second} in {month}, where {pair.first} had been {expected}.
        Against a forecast of {pair.first}, {ratio} reached {pair.second}.
        """,
    ),
    *patterns(
        "expectation",
        "sums",
        """
        {firm} earned {sums.second} in {quarter}, where {people} had {expected} {sums.first}.
        Instead of the {sums.first} that {people} had {expected}, {firm} earned {sums.second}.
        """,
    ),
)
