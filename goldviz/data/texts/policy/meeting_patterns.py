"""What a committee's statement says, part by part, for the three decisions that it may have taken.

The slots ``committee``, ``band``, ``date`` and ``year`` are the same all through a statement. Parts follow each other
as in the statements of central banks; the sentences are the project's own.
"""

from __future__ import annotations

from dataclasses import dataclass

from goldviz.data.texts.policy.grammar import Pattern, patterns

Section = tuple[Pattern, ...]


@dataclass(frozen=True)
class Decision:
    """What a statement says before, at and after the decision; the sign is 1 for a raise, -1 for a cut, 0 for none."""

    sign: int
    reasons: tuple[Section, ...]
    action: Section
    outlook: tuple[Section, ...]


RAISING = Decision(
    1,
    reasons=(
        patterns(
            "story",
            "0",
            """
            {welcome} {move} at a solid pace in {quarter}, and {welcome2} {move} as well.
            Readings since the last meeting point to growth: {welcome} {move} {slightly}, and {welcome2} {move} too.
            Spending held up, {welcome} {move}, and so did {welcome2} {period}.
            """,
            where="move=1",
        ),
        patterns(
            "story",
            "0",
            """
            Inflation remains elevated, reflecting imbalances between supply and demand, higher energy prices and \
            broader price pressures.
            Prices rose faster than the objective allows, in goods as much as in services, and the rise is spreading.
            Core inflation stood at {percent}, well above what {committee} regards as price stability.
            Persistently high inflation causes hardship, above all for people with low incomes and for those who rent.
            """,
        ),
        patterns(
            "story",
            "0",
            """
            {committee} is highly attentive to inflation risks and firmly committed to its goal.
            {committee} sees upward pressure on prices and takes this risk seriously.
            Longer-term inflation expectations are still anchored, and {committee} wants them to remain so.
            """,
        ),
    ),
    action=patterns(
        "story",
        "0",
        """
        Against this background, {committee} {band.done} its target range by {band.step}, to {band}.
        {committee} therefore {band.done} the range from {band.old} to {band}, effective on the following business day.
        """,
    ),
    outlook=(
        patterns(
            "story",
            "0",
            """
            Further firming is likely to be appropriate in order to reach a stance that is sufficiently restrictive.
            Ongoing increases may be needed, though their pace will take into account how much policy has tightened \
            already.
            The cumulative tightening works with lags, and {committee} will proceed carefully.
            """,
        ),
        patterns(
            "story",
            "0",
            """
            In addition, {bank} is reducing its holdings: each month up to {amount} of Treasury securities and \
            {amount2} of agency debt and mortgage-backed securities will not be replaced.
            The reduction of the balance sheet goes on as described in the plans of {month}.
            Maturing securities will be redeemed up to a cap of {amount} a month, and the rest reinvested.
            """,
        ),
    ),
)

LOWERING = Decision(
    -1,
    reasons=(
        patterns(
            "story",
            "0",
            """
            {welcome} {move} sharply in {quarter}, and {welcome2} {move} too.
            The outbreak of disease in {region} disrupted economic activity: {welcome} {move}, and {welcome2} {move} \
            as well.
            Since the last meeting the economy has weakened; {welcome} {move} {slightly}, and nothing suggests that \
            {unwelcome} will do so {soon}.
            """,
            where="move=-1",
        ),
        patterns(
            "story",
            "0",
            """
            Weaker demand and lower oil prices are holding down consumer prices, and inflation runs below the objective.
            Inflation has eased and made progress toward the goal, while job gains have slowed.
            Market-based measures of inflation compensation have declined; those based on surveys are little changed.
            """,
        ),
        patterns(
            "story",
            "0",
            """
            Tighter credit for households and businesses is likely to weigh on hiring and investment.
            Sectors that suffer most from lockdowns, such as {industry} and {industry2}, have lost many jobs.
            The virus and the measures that protect public health cause tremendous human and economic hardship.
            Risks to the outlook are considerable, both abroad and at home.
            """,
        ),
    ),
    action=patterns(
        "story",
        "0",
        """
        To support the flow of credit, {committee} {band.done} its target range by {band.step}, to {band}.
        In light of these developments, {committee} {band.done} the range from {band.old} to {band}.
        """,
    ),
    outlook=(
        patterns(
            "story",
            "0",
            """
            {committee} expects to keep this accommodative stance until it is confident that the economy is on track \
            again.
            Rates will remain low until employment has recovered and inflation is moderately above its goal for some \
            time.
            {committee} uses its full range of tools to foster smooth market functioning and an effective transmission.
            """,
        ),
        patterns(
            "story",
            "0",
            """
            Until substantial further progress is made, {bank} adds {amount} of Treasury securities to its holdings \
            each month.
            {bank} opens swap lines with central banks abroad, so that dollar liquidity is available around the world.
            Purchases help to sustain financial conditions that support credit to families, firms and communities.
            """,
        ),
    ),
)

HOLDING = Decision(
    0,
    reasons=(
        patterns(
            "story",
            "0",
            """
            {measure} {measure.was} {stable} in {quarter}, and so {measure2.was} {measure2}.
            The economy expanded at a moderate pace; {measure} {measure.was} {stable} {period}.
            Overall activity is little changed since the meeting in {month}, with {measure} {stable}.
            """,
        ),
        patterns(
            "story",
            "0",
            """
            Job gains have been solid on average, and the unemployment rate has remained low.
            Growth of household spending has moderated, and business fixed investment has been muted.
            Both overall inflation and inflation for items other than food and energy stay near {percent}.
            """,
        ),
        patterns(
            "story",
            "0",
            """
            The risks to both sides of the mandate appear roughly balanced, although the outlook is uncertain.
            Uncertainty has diminished, and {committee} can be patient as it determines what comes next.
            The banking system is sound and resilient, with ample capital and liquidity.
            """,
        ),
    ),
    action=patterns(
        "story",
        "0",
        """
        {committee} leaves its target range unchanged at {band}.
        At this meeting, {committee} kept the range at {band}, where it has been since {month}.
        """,
    ),
    outlook=(
        patterns(
            "story",
            "0",
            """
            Before it considers any change, {committee} needs greater confidence that inflation is moving sustainably \
            to its goal.
            The timing of a next adjustment depends on outcomes, not on the calendar.
            A steady rate appears consistent with full employment and with prices that rise near the symmetric \
            objective.
            """,
        ),
        patterns(
            "story",
            "0",
            """
            The balance sheet remains as large as is needed for ample reserves.
            {bank} will reinvest principal in the same amounts as before, and it stands ready to change these details.
            No changes to the purchase of {good} certificates or agency debt were discussed.
            """,
        ),
    ),
)

GUIDANCE: Section = patterns(
    "story",
    "0",
    """
    What follows depends on incoming data, on the evolving outlook and on the balance of risks.
    {committee} will look at labor markets, at pressures on prices and expectations, and at events around the world.
    If risks emerged that stood in the way of its goals, {committee} would change course.
    In assessing the stance, {committee} considers a wide range of information, including public health and trade.
    {committee} anticipates that the {band.adjective} rate will, in time, promote maximum employment and stable prices.
    Whatever the data show, {committee} will act so that its objectives over {longer} can be attained.
    The effects on households and companies will be assessed again in {month}, once new projections are available.
    """,
)

VOTES: Section = patterns(
    "story",
    "0",
    """
    {votes.for} members voted for this action, among them the chair and the vice chair; {votes.against} voted against \
    it.
    Voting in favor were {votes.for} members. Against: {votes.against}.
    The decision was taken by {votes.for} votes. The member from {region} preferred a range of {band.old}.
    The vote was unanimous, with one alternate member voting in place of a member who was absent.
    """,
)

DECISIONS = (RAISING, LOWERING, HOLDING)
