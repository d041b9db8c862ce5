"""The words of policy and market texts without a sign: who, where, when, how much; and numbers drawn in order."""

from __future__ import annotations

import calendar

import numpy as np

from goldviz.data.texts.policy.grammar import Lexicon, Term, nouns, phrases, verbs

MONTH_NAMES = " | ".join(calendar.month_name[1:])
WORKDAY_NAMES = " | ".join(calendar.day_name[:5])
FIRST_YEAR, LAST_YEAR = 1994, 2032
COUNTS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
QUARTERS = ("the first quarter", "the second quarter", "the third quarter", "the fourth quarter")
ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]


def whole_number(generator: np.random.Generator, low: int, high: int) -> int:
    """A whole number from ``low`` to ``high``, both included."""
    return low + int(generator.random() * (high - low + 1))


def in_quarters(quarters: int) -> str:
    """A number of quarter points as policy statements write it.

    >>> [in_quarters(number) for number in (0, 1, 2, 4, 19)]
    ['0', '1/4', '1/2', '1', '4-3/4']
    """
    whole, rest = divmod(quarters, 4)
    fraction = ("", "1/4", "1/2", "3/4")[rest]
    if whole and fraction:
        return f"{whole}-{fraction}"
    return fraction or str(whole)


def _band(generator: np.random.Generator) -> Term:
    """A target range and the one before it, a step of one to three quarters apart; the sign is the step's."""
    step = (1, 1, 1, 2, 2, 3)[whole_number(generator, 0, 5)]
    sign = 1 if generator.random() < 0.5 else -1
    old = whole_number(generator, step if sign < 0 else 0, 24)
    return rate_band(old, old + sign * step)


def rate_band(old: int, new: int) -> Term:
    """A target range a quarter wide whose low end is ``new`` quarters of a percent, after one at ``old``."""
    step, sign = abs(new - old), (new > old) - (new < old)
    up = sign > 0
    return Term(
        {
            "": f"{in_quarters(new)} to {in_quarters(new + 1)} percent",
            "low": in_quarters(new),
            "high": in_quarters(new + 1),
            "old": f"{in_quarters(old)} to {in_quarters(old + 1)} percent",
            "step": f"{in_quarters(step)} percentage point" + ("s" if step > 4 else ""),
            "basis": f"{25 * step} basis points",
            "do": "raise" if up else "lower",
            "done": "raised" if up else "lowered",
            "doing": "raising" if up else "lowering",
            "noun": "increase" if up else "reduction",
            "adjective": "higher" if up else "lower",
            "not": "lower" if up else "raise",
            "policy": "restrictive" if up else "accommodative",
            "firming": "firming" if up else "easing",
        },
        sign,
    )


def _pair(generator: np.random.Generator) -> Term:
    """Two different rates in percent with one decimal, and which way from the first to the second."""
    first = whole_number(generator, 5, 95)
    step = whole_number(generator, 1, 12)
    sign = 1 if first <= 12 or generator.random() < 0.5 else -1
    second = first + sign * step
    return Term(
        {
            "": f"from {first / 10:.1f} percent to {second / 10:.1f} percent",
            "first": f"{first / 10:.1f} percent",
            "second": f"{second / 10:.1f} percent",
            "by": f"{step / 10:.1f} percentage point" + ("s" if step != 10 else ""),
        },
        sign,
    )


def sums_after(first: int, unit: str, generator: np.random.Generator) -> Term:
    """A sum of money and another one after it, at least 1 and different; the sign says which way."""
    step = whole_number(generator, 1, 9)
    sign = 1 if first <= step or generator.random() < 0.5 else -1
    second = first + sign * step
    return Term(
        {
            "": f"{second} {unit} dollars",
            "first": f"{first} {unit} dollars",
            "second": f"{second} {unit} dollars",
            "by": f"{step} {unit} dollars",
            "number": str(second),
        },
        sign,
    )


def prices_after(first: int, generator: np.random.Generator) -> Term:
    """A price of an ounce in whole dollars and another one after it; the sign says which way."""
    step = 5 * whole_number(generator, 1, 9)
    sign = 1 if first < 300 or generator.random() < 0.5 else -1
    second = first + sign * step
    return Term(
        {
            "": f"{second} dollars",
            "first": f"{first} dollars",
            "second": f"{second} dollars",
            "by": f"{step} dollars",
            "number": str(second),
        },
        sign,
    )


def _sums(generator: np.random.Generator) -> Term:
    return sums_after(whole_number(generator, 12, 95), "million" if generator.random() < 0.5 else "billion", generator)


def _prices(generator: np.random.Generator) -> Term:
    return prices_after(5 * whole_number(generator, 60, 560), generator)


def _range(generator: np.random.Generator) -> Term:
    low = whole_number(generator, 1, 20)
    high = low + whole_number(generator, 1, 12)
    return Term(
        {
            "": f"between {low} and {high} percent",
            "from": f"from {low} to {high} percent",
            "low": f"{low} percent",
            "high": f"{high} percent",
        }
    )


def _percent(generator: np.random.Generator) -> Term:
    style = generator.random()
    if style < 0.5:
        return Term({"": f"{whole_number(generator, 2, 99) / 10:.1f} percent"})
    if style < 0.8:
        return Term({"": f"{whole_number(generator, 2, 60)} percent"})
    return Term({"": f"{in_quarters(whole_number(generator, 1, 30))} percent"})


def _interest(generator: np.random.Generator) -> Term:
    """A rate of interest that a central bank might pay or charge."""
    if generator.random() < 0.5:
        return Term({"": f"{in_quarters(whole_number(generator, 1, 22))} percent"})
    return Term({"": f"{whole_number(generator, 5, 550) / 100:.2f} percent"})


def _amount(generator: np.random.Generator) -> Term:
    number = whole_number(generator, 2, 19) * 5
    unit = "million" if generator.random() < 0.5 else "billion"
    return Term({"": f"${number} {unit}" if generator.random() < 0.5 else f"{number} {unit} dollars"})


def _votes(generator: np.random.Generator) -> Term:
    """How many voted for and against: the majority comes first, and the words agree with the numbers."""
    against = whole_number(generator, 0, 3)
    for_it = whole_number(generator, 7, 12) - against
    one = against == 1
    return Term(
        {
            "": f"{COUNTS[for_it - 2]} to {'one' if one else 'none' if not against else COUNTS[against - 2]}",
            "for": COUNTS[for_it - 2],
            "against": "one member" if one else "no member" if not against else f"{COUNTS[against - 2]} members",
            "who": "who preferred" if against else "although some had preferred",
        }
    )


def year_of(year: int) -> Term:
    """A year, with the one before it and two after it."""
    return Term({"": str(year), "next": str(year + 1), "last": str(year - 1), "later": str(year + 3)})


def _year(generator: np.random.Generator) -> Term:
    return year_of(whole_number(generator, FIRST_YEAR, LAST_YEAR))


def _date(generator: np.random.Generator) -> Term:
    month, day = whole_number(generator, 1, 12), whole_number(generator, 1, 27)
    return meeting_day(whole_number(generator, FIRST_YEAR, LAST_YEAR), month, day)


def meeting_day(year: int, month: int, day: int) -> Term:
    """The day of a meeting, in the forms that statements use."""
    name, following = calendar.month_name[month], calendar.month_name[month % 12 + 1]
    return Term(
        {
            "": f"{name} {day}, {year}",
            "days": f"{name} {day}-{day + 1}",
            "next": following,
            "year": str(year),
            "quarter": QUARTERS[(month - 1) // 3],
        }
    )


def _count(generator: np.random.Generator) -> Term:
    number = whole_number(generator, 0, 8)
    return Term({"": COUNTS[number], "next": COUNTS[number + 1], "ordinal": ORDINALS[number + 1]})


INDUSTRIES = """manufacturing | construction | agriculture | mining | retail trade | wholesale trade |
        transportation | tourism | the service sector | the energy sector | the steel industry | the car
        industry | health care | education | the chemical industry | food processing | shipping | aviation |
        insurance | real estate | banking | fishing | forestry | the textile industry | information technology |
        telecommunications | the paper industry | the public sector | the private sector | leisure and
        hospitality | the gold industry | the oil industry | logistics | advertising | publishing | ceramics |
        glass making | plastics | pharmaceuticals | waste management | road building | rail transport | water
        supply | catering | film production | biotechnology | asset management | fund management | brokerage |
        leasing | private education | nursing care | farming | brewing | printing | optics | robotics | defense
        | aerospace | ship building"""
GOODS = """steel | wheat | corn | crude oil | natural gas | gasoline | electricity | coal | copper | aluminum |
        silver | platinum | palladium | jewelry | gold bars | gold coins | machinery | vehicles | trucks |
        furniture | clothing | shoes | food | meat | coffee | sugar | cotton | timber | cement | chips |
        semiconductors | computers | software | medicines | fertilizer | batteries | aircraft | ships |
        equipment | spare parts | toys | paper | plastics | housing | houses | apartments | office space | rice
        | soybeans | fruit | vegetables | fish | milk | butter | cheese | wine | beer | cocoa | tea | tobacco |
        wool | rubber | glass | bricks | diamonds | lithium | nickel | zinc | lead | tin | uranium | hydrogen |
        solar panels | turbines | engines | tractors | bicycles | telephones | televisions | books | newspapers
        | insurance policies | travel | restaurant meals | medical care | education | rental cars | heating |
        water | durable goods | consumer goods | raw materials | services"""
REGIONS = """the United States | the euro area | Europe | Asia | China | Japan | Canada | Mexico | Brazil |
        India | Australia | Africa | South America | the Middle East | Germany | France | Italy | Spain |
        Switzerland | Turkey | South Africa | the United Kingdom | Korea | Indonesia | Norway | Sweden | Poland
        | Greece | Portugal | Ireland | Egypt | Nigeria | Kenya | Ghana | Peru | Chile | Argentina | Colombia |
        Vietnam | Thailand | Malaysia | Singapore | Hong Kong | Taiwan | New Zealand | Israel | Saudi Arabia |
        Russia | Ukraine | the Netherlands | Belgium | Austria | emerging markets | advanced economies | the
        northern states | the southern states | the west of the country | the rural districts | the large cities
        | the coastal provinces"""

CIRCUMSTANCES: Lexicon = {
    "month": phrases(MONTH_NAMES),
    "weekday": phrases(WORKDAY_NAMES),
    "year": _year,
    "date": _date,
    "count": _count,
    "band": _band,
    "pair": _pair,
    "sums": _sums,
    "prices": _prices,
    "range": _range,
    "percent": _percent,
    "interest": _interest,
    "amount": _amount,
    "votes": _votes,
    "industry": phrases(INDUSTRIES),
    "good": phrases(GOODS),
    "region": phrases(REGIONS),
    "quarter": phrases(" | ".join(QUARTERS)),
    "currency": phrases("dollar | euro | yen | pound | franc | peso | rupee | yuan | krona | rand | lira"),
    "bank": phrases("""the central bank | the bank | the largest bank | the savings bank | the development bank
        | the investment bank | the regional bank | the Federal Reserve | the Reserve Bank | the national bank |
        the cooperative bank | the clearing house"""),
    "firm": phrases("""the company | the group | the firm | the mining company | the gold producer | the refiner
        | the retailer | the airline | the insurer | the manufacturer | the builder | the utility | the exporter
        | the software company | the oil company | the car maker | the brewer | the publisher | the jeweler |
        the lender | the shipping line | the hotel chain | the chip maker | the drug maker | the railway | the
        steel maker | the grocer | the broker | the holding company | the start-up | the partnership | the
        subsidiary | the cooperative | the conglomerate | the smelter | the mint | the pawnbroker | the asset
        manager"""),
    "people": phrases("""households | consumers | investors | traders | economists | analysts | officials |
        members | participants | business leaders | managers | farmers | workers | employers | bankers | dealers
        | builders | exporters | importers | home buyers | small businesses | large companies | policymakers |
        shareholders | creditors | miners | jewelers | engineers | teachers | nurses | students | pensioners |
        families | landlords | brokers | auditors | regulators | lawyers | ministers | governors | delegates |
        journalists | professors | statisticians | forecasters | advisers | directors | executives | owners |
        suppliers | customers | truck drivers | pilots | fishermen | hoteliers | mayors | union leaders |
        pension funds | insurers | central banks | fund managers | taxpayers | tenants | retailers"""),
    "committee": nouns("""the Committee | the central bank | the Federal Reserve | the Board | the policy
        committee | the council | the governing council | the monetary authority"""),
    "said": verbs("""say/said | note | report | observe | judge | state | add | explain | confirm | announce |
        find/found | conclude | indicate | mention | suggest | remark | acknowledge | argue | claim | warn |
        believe | assume | recall | estimate | reply/replied | insist | declare | emphasize | stress | reveal |
        admit/admitted | write/wrote/written"""),
    "expected": phrases("expected | forecast | projected | anticipated | assumed | planned | predicted | estimated"),
    "slightly": phrases("""slightly | modestly | moderately | gradually | a little | somewhat | sharply |
        strongly | markedly | considerably | steeply | rapidly | abruptly | visibly | continuously |
        unexpectedly | barely | temporarily | partly | clearly | dramatically | mildly | evenly | smoothly |
        decisively | perceptibly | substantially | noticeably | steadily | quickly | slowly | further | again"""),
    "sharp": phrases("""sharp | modest | moderate | gradual | small | slight | large | marked | considerable |
        steep | rapid | substantial | noticeable | steady | sudden | unexpected | further | renewed | temporary
        | visible | abrupt | dramatic | mild | brief | prolonged | decisive | seasonal | massive | minor | major
        | severe | limited | striking | broad | sizable | notable"""),
    "stable": phrases("""stable | unchanged | little changed | flat | steady | broadly unchanged | close to the
        average | near the long-run level | about the same as a year earlier | largely unchanged | constant |
        within the usual range"""),
    "period": phrases("""in recent months | in recent weeks | over the past year | over the past two quarters |
        since the beginning of the year | since the last meeting | since the spring | since the summer | during
        the winter | in the autumn | last month | last week | last year | this year | over the month | in the
        first half of the year | in the second half of the year | toward the end of the year | at the start of
        the week | on balance | earlier in the year | at the turn of the year | for several months | yesterday |
        overnight | over the weekend"""),
    "longer": phrases("the longer run | the medium term | the next two years | the coming quarters"),
    "soon": phrases("""in the coming months | in the coming quarters | over the medium term | over the next year
        | in the near term | over the longer run | before long | next year | by the end of the year | for some
        time | in due course | later this year | within two years"""),
    "reason": phrases("""the weather | seasonal effects | higher taxes | a change in the law | the timing of
        holidays | the new budget | trade with {region} | technical factors | the exchange rate | developments
        in {region} | demand from {region} | the reform of the tax system | the price of {good} | new technology
        | lower rents | the election | public holidays | the weather in {region} | the mild winter | the hot
        summer | the harvest | a strike | new rules | the closing of a refinery | the introduction of a new tax
        | shipping routes | subsidies | interest rates abroad | the price of energy | demographic change |
        migration | the sale of a subsidiary | speculation | the crisis in {region} | the war | the pandemic |
        the drought | the flood | the storm"""),
}
