"""The sentence patterns without a tone: decisions, votes, operations, and sentences in which nothing has happened yet.

Many name measures and movements, as sentences with a tone do: a condition that may come true, two movements that
cancel each other, or something that has not changed.
"""

from __future__ import annotations

from goldviz.data.texts.policy.grammar import Pattern, patterns

NEUTRAL_PATTERNS: tuple[Pattern, ...] = (
    *patterns(
        "neutral",
        "0",
        """
        By {band.step}, to {band}, {committee} {band.done} the target range for the federal funds rate.
        {committee} decided to {band.do} the target range from {band.old} to {band}.
        {committee} left the target range for the federal funds rate where it was, at {band}.
        The vote was {votes}.
        {votes.for} members voted for the action, and {votes.against} voted against it.
        The minutes of the meeting of {date.days} will be published in {date.next}.
        The meeting of {committee} was held on {date} in {region}.
        {bank} will buy {amount} of Treasury securities and {amount2} of agency mortgage-backed securities per month.
        What {bank} is repaid on its Treasury securities it will put into new ones at the next auction.
        The interest rate paid on reserve balances is {interest}, effective {date}.
        The desk will offer overnight reverse repurchase agreements at {interest}, up to a limit of {amount} per \
        counterparty.
        The monthly cap on redemptions is {amount}.
        {bank} publishes the figures for {measure} in {month} and in {month2}.
        The index covers {good}, {good2} and {good3}.
        {measure} {measure.is} measured by a survey among {people} in {region}.
        {people} meet {people2} in {region} on {date}.
        {firm} trades in {good} and {good2} and has its seat in {region}.
        {holding} {move} {slightly} in {month}.
        {holding} {holding.has} {move.done} {period} because of {reason}.
        {people} {said} that {holding} {holding.is} {move.doing}, as planned.
        {holding} {holding.was} {height} in {month}.
        {bank} will {band.do} the rate at which it lends overnight by {band.basis}.
        The report describes how {bank} computes {ratio}.
        {ratio} is published for {region} every month, on the {count.ordinal} working day.
        The contract for {good} expires in {month} {year}.
        {count} members of {committee} attended the session on {weekday} by video.
        {people} and {people2} will vote on the proposal of {firm} on {date}.
        The table compares {measure} in {region} with {measure2} in {region2}.
        The stance of monetary policy can be adjusted at any meeting, if {committee} thinks it appropriate.
        {committee} monitors what incoming information implies for {condition}.
        By law, {committee} aims at maximum employment and at stable prices, which it takes to mean inflation of \
        {interest} over {longer}.
        The target of {committee} for inflation over {longer} is {interest}.
        The survey of {year} asked {people} in {region} about {measure}.
        The law of {year} defines {ratio} and says who measures it.
        Refiners in {region} deliver gold bars of 400 ounces to {bank}.
        The daily gold price is fixed by auction at ten thirty and at three in the afternoon.
        The chair, the vice chair and {count} other members were present when the statement was issued.
        For questions of the media, please email or call the press office of {bank}.
        An implementation note that was issued on {date} lists the operational steps and their effective dates.
        The mandate of {committee} is dual: employment on the one side, stable prices on the other.
        The goal is symmetric: inflation persistently above it is as much a concern as inflation persistently below it.
        In determining the extent of future adjustments, {committee} weighs cumulative effects and the lags of policy.
        These readings include compensation, surveys of {people}, and measures based on financial instruments.
        Commercial paper, agency debt and other liabilities are listed on the second page of the release.
        Longer-term assets can be held outright, sold, or lent against collateral, whichever {committee} deems best.
        The website of {bank} answers frequently asked questions about the discount window and intraday credit.
        The directive authorizes the desk to execute transactions with a broad group of counterparties.
        The composition of the portfolio should match that of the market across maturities and coupons.
        When {month} ends on a holiday or a weekend, settlement takes place on the following business day.
        Small deviations from the stated amounts are acceptable for operational reasons.
        {committee} reaffirms its intention to use its full range of tools, among them rates and asset purchases.
        Voting members serve in turn; an alternate member votes when another is absent.
        {people} received the statement of {committee} at two in the afternoon, together with the new projections.
        The calendar of auctions for {quarter} of {year} was approved unanimously.
        The framework of {year} was discussed at a meeting of {people} from around the world.
        {committee} assesses a wide set of indicators, including international developments and public health.
        The reinvestment of principal follows the strategy that {committee} articulated in {year}.
        Required and excess reserves are reported separately, both as averages over a period of two weeks.
        Repurchase operations are offered on every business day, with a limit for each counterparty.
        Purchases will be made in amounts that serve the smooth functioning of the market.
        Domestic policy directives are recorded in writing and signed by the secretary of {committee}.
        Each member submits a path of rates that seems appropriate to him or her.
        Interest on term deposits is administered by {bank} and is set by {committee}.
        The term of the chair ends in {year}, that of the vice chair in {year.later}.
        A transcript of the conference in {region} will be available within {count} weeks.
        {count} of the indicators track goods, the others track services, rents and {good}.
        Treasury bills have maturities of {count} to 52 weeks; notes run from two to ten years.
        {people} who wish to continue their accounts at {bank} must register at least {count} weeks beforehand.
        To achieve a better view of {measure}, {bank} maintains a register of {good} and of {good2}.
        What these events mean for {measure} is described in the annex, together with previously published tables.
        Global assessments of {measure} differ widely in method, and {people} judge each of them differently.
        A task force of {people} examined the implications of statutory changes for {industry}.
        {firm} seeks a partner in {region} for its storage of {good}.
        The forum in {region} was opened by the governor and closed by a panel of {people}.
        Among the topics were {measure}, {measure2} and the open questions of the last seminar.
        Each district bank contributes a chapter, and the staff generally adds a glossary and a map.
        Inquiries concerning {good} are answered by telephone between nine and five o'clock.
        A similar scale is used by {people} in {region}, where it is affected by relative prices as well.
        The exhibit lists realized and implied volatility of {good} contracts side by side.
        It is necessary to distinguish {measure} from {measure2}, which {people} sometimes confuse.
        {people} may choose between a coupon of {interest} and one that floats with the overnight rate.
        The vault of {bank} in {region} stores bars, coins and medals for {people}.
        {good} contracts trade from eight to four; the margin is {percent} of the contract's value.
        Under the accord of {year}, {region} and {region2} exchange statistics on {good} every quarter.
        The museum of {bank} shows how coins were minted and how trade in {good} was recorded.
        {bank} employs {count} librarians, {count2} translators and a photographer.
        Members who dissent may attach a short statement to the record of the vote.
        """,
    ),
    *patterns(
        "unmoved",
        "0",
        """
        {measure} {measure.was} {stable} in {month}.
        {measure} {measure.has} been {stable} {period}.
        {people} {said} that {measure} {measure.was} {stable} in {quarter} of {year}.
        {measure} neither {move} nor {move2} in {month}.
        {committee} expects {measure} to be {stable} {soon}.
        At {percent}, {ratio} was {stable} in {month}.
        {ratio} was {pair.first} in {month}, exactly as {people} had {expected}.
        {ratio} was {pair.first} in {year}, after {pair.first} in {year.last}.
        {measure} {move} in {month} just as {people} had {expected}, so nothing new was learned.
        """,
    ),
    *patterns(
        "unmoved",
        "0",
        """
        {condition} neither {turn} nor {turn2} {period}.
        """,
        where="turn=-turn2",
    ),
    *patterns(
        "conditional",
        "0",
        """
        If {measure} {move.present/measure}, {committee} will act.
        Should {measure} {move.do} {soon}, {people} would change their plans.
        It is too early to say whether {measure} will {move.do} or {move2.do}.
        {people} asked {bank} what would happen if {measure} {move} {slightly}.
        {committee} would be prepared to {band.do} rates if {measure} were to {move.do}.
        Whether {condition} will {turn.do} depends on {reason}.
        {people} disagree about whether {measure} {measure.has} {move.done}.
        A model of {bank} asks how {measure} would change if {measure2} were to {move.do} by {percent}.
        Insurance against {change.a} in {measure} is offered by {firm}.
        """,
    ),
    *patterns(
        "balanced",
        "0",
        """
        {measure} {move} in {region} and {move2} in {region2}, so that the total was {stable}.
        Some {people} {said} that {measure} {measure.had} {move.done}, others that {measure.it} {measure.had} \
        {move2.done}.
        {measure} {move} in {month} and {move2} by the same amount a month later.
        The risks that {measure} will {move.do} and that {measure.it} will {move2.do} are in balance.
        """,
        where="move=-move2",
    ),
    *patterns(
        "balanced",
        "0",
        """
        The {change} in {measure} during {month} was fully undone in the month that followed.
        """,
    ),
    *patterns(
        "balanced",
        "0",
        """
        {sharp.a} {change} in {measure} was offset by {sharp2.a} {change2} in {measure2}.
        """,
        where="measure*change=-measure2*change2",
    ),
)
