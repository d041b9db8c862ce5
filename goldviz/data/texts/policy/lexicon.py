"""The words of policy and market texts that have a sign: what is measured, how it moves, and how it is judged.

The sign of a measure says what more of it means for the economy or the market that it belongs to; that of a movement
is its direction. Neither tells the tone of a sentence alone: unemployment that falls is good news, output that falls
is not, and holdings of securities that fall are neither.
"""

from __future__ import annotations

from goldviz.data.texts.policy.circumstances import CIRCUMSTANCES
from goldviz.data.texts.policy.grammar import Lexicon, nouns, phrases, verbs

WELCOME = (
    *nouns(
        """economic activity | output | aggregate demand | domestic demand | foreign demand | industrial
        production | {industry} output | activity in {industry} | household spending | consumer spending |
        spending on {good} | business investment | fixed investment | residential investment | capital spending
        | investment in {industry} | employment | employment in {industry} | hiring | job growth | labor force
        participation | labor productivity | real income | disposable income | household wealth | purchasing
        power | consumer confidence | business confidence | bank lending | lending to small businesses | credit
        to households | demand for {good} | demand for credit | foreign trade | trade with {region} | freight
        traffic | housing construction | construction activity | home ownership | tourism | turnover | net
        interest income | cash flow | net income | operating profit | profit per share | the operating margin |
        the profit of {firm} | the revenue of {firm} | the order book of {firm} | the share price of {firm} |
        the market value of {firm} | the credit rating of {firm} | the price of gold | the price of silver | the
        price of platinum | the price of copper | the gold market | demand for gold coins | gold production |
        mine production | investor appetite | market liquidity | trading volume | the stock market | the stock
        index | the bond market | the {currency} | the value of the {currency} | tax revenue | the budget
        surplus | the capital ratio of {bank} | equity capital | the supply of {good} | factory utilization |
        the use of capacity | energy efficiency | the harvest | gross domestic product | output per hour | the
        trade surplus | the saving of households | the equity of {bank} | economic growth | growth in {region} |
        the inflow of capital | research spending | innovation | vocational training | the standard of living |
        international cooperation | competition among {people} | the quality of roads | public trust in {bank} |
        rail freight | passenger traffic | solvency | the stock of foreign reserves | access to credit""",
        1,
    ),
    *nouns(
        """retail sales | home sales | car sales | new orders | factory orders | orders for {good} | exports |
        exports of {good} | exports to {region} | shipments of {good} | sales of {good} | deliveries of {good} |
        jobs | payrolls | payrolls in {industry} | job openings | working hours | real wages | household incomes
        | profits | earnings | earnings of {firm} | revenues | bank deposits | loans to businesses | loans to
        households | building permits | housing starts | share prices | stock prices | equity prices | bank
        shares | shares in {industry} | shares of {firm} | gold prices | metal prices | precious metals | mining
        shares | inflows into gold funds | purchases of gold by central banks | gold reserves | dividends |
        capital buffers | profit margins | tax receipts | visitor numbers | start-ups | applications for
        mortgages | vaccinations | savings of households | government bonds | corporate bonds | emerging market
        currencies | inventories of gold | commitments to new projects | liquid assets""",
        1,
        plural=True,
    ),
)

UNWELCOME = (
    *nouns(
        """unemployment | the unemployment rate | youth unemployment | inflation | core inflation | headline
        inflation | consumer price inflation | food price inflation | inflation in {region} | inflation pressure
        | the cost of living | the cost of {good} | the budget deficit | the trade deficit | the current account
        deficit | public debt | household debt | corporate debt | poverty | hardship | uncertainty | market
        volatility | financial stress | stress in {industry} | the risk of recession | the risk of a banking
        crisis | credit risk | the default rate | the number of bankruptcies | the number of layoffs | long-term
        unemployment | the burden of debt | the tax burden | the loss of {firm} | the debt of {firm} | the share
        of bad loans | the shortage of {good} | the shortage of skilled workers | congestion at ports | funding
        pressure | counterparty risk | fraud | the backlog of orders | the risk premium | the spread over safe
        bonds | political tension | inequality | the outflow of capital | excess supply | spare capacity | the
        amount of overdue debt | underemployment | absence from work | food insecurity | the output gap |
        bureaucracy | corruption | pollution | the frequency of blackouts | protectionism | the concentration of
        risk | maturity mismatch | overheating | speculation with {good} | the number of foreclosures | child
        poverty | the waiting time for {good} | leverage""",
        -1,
    ),
    *nouns(
        """jobless claims | layoffs | layoffs in {industry} | job losses | bankruptcies | insolvencies |
        defaults | defaults in {industry} | loan losses | credit losses | losses | losses of {firm} | mortgage
        arrears | late payments | energy costs | borrowing costs | input costs | freight costs | costs of {good}
        | consumer prices | food prices | fuel prices | supply bottlenecks | shortages of {good} | price
        pressures | inflation expectations | delays in deliveries | risks to financial stability | tensions in
        funding markets | outflows from gold funds | withdrawals of deposits | write-downs | trade barriers |
        tariffs on {good} | evictions | strikes in {industry} | supply disruptions | complaints of customers |
        unsold homes | infections | power cuts | claims for unemployment benefits | downside risks |
        geopolitical tensions | imbalances in the labor market | fears of recession""",
        -1,
        plural=True,
    ),
)

INDIFFERENT = (
    *nouns(
        """the balance sheet of {bank} | the size of the balance sheet | the discount rate | the policy rate |
        the average maturity of the portfolio | the portfolio of {bank} | the yield on the ten-year note | the
        yield on two-year notes | currency in circulation | the share of services in the index | the number of
        meetings | the staff of {bank} | the share of electronic payments | the volume of auctions | the share
        of fixed rate mortgages | the share of agency debt in the portfolio | the weight of {good} in the index
        | the length of the report | the federal funds rate | the reserve requirement | the rate on reserve
        balances | the premium of futures over spot prices | the average term of new loans | the monthly cap on
        redemptions"""
    ),
    *nouns(
        """holdings of Treasury securities | holdings of agency debt | holdings of mortgage-backed securities |
        reserve balances | long-term yields | Treasury yields | reinvestments of principal | overnight
        repurchase agreements | maturities in the portfolio | purchases of bills | seasonal factors |
        temperatures | asset purchases | principal payments | swap lines | reverse repurchase operations |
        currency swaps | term deposits""",
        plural=True,
    ),
)

MOVES = (
    *verbs(
        """rise/rose/risen | increase | climb | advance | move up | go up/went up/gone up | edge up | pick up |
        grow/grew/grown | expand | surge | jump | gain | swell/swelled/swollen | double | accelerate | mount |
        drift up | build up/built up | shoot up/shot up""",
        1,
    ),
    *verbs(
        """fall/fell/fallen | decline | drop/dropped | decrease | slide/slid | move down | go down/went
        down/gone down | edge down | slip/slipped | shrink/shrank/shrunk | contract | plunge | tumble | retreat
        | dip/dipped | halve | slow | sink/sank/sunk | drift down | ebb | come down/came down/come down""",
        -1,
    ),
)

DESCRIBED_CHANGES = (
    *phrases("rise | increase | climb | advance | gain | jump | surge | upturn | expansion | acceleration", 1),
    *phrases("fall | decline | drop | decrease | slide | plunge | dip | contraction | downturn | reduction", -1),
)

HEIGHTS = (
    *phrases("higher | stronger | larger | faster | greater | up | above its average | above normal", 1),
    *phrases("lower | weaker | smaller | slower | down | below its average | below normal", -1),
)

CONDITIONS = (
    *nouns(
        """the outlook | the economic outlook | the outlook for {industry} | the outlook for {region} | the
        economy | the labor market | the housing market | the credit quality of {bank} | household confidence |
        credit quality | market sentiment | the mood among {people} | the state of public finances | the balance
        of trade | business sentiment | the financial position of {firm} | the liquidity of {bank} | the
        functioning of the bond market | the health of {industry} | the quality of the portfolio | the supply
        chain | the business climate | the banking system | the money market | the position of {bank} | the
        performance of {firm} | the gold trade | the ability of households to pay | the flow of credit | the
        competitive position of {industry}""",
        1,
    ),
    *nouns(
        """labor market conditions | financial conditions | credit conditions | funding conditions | business
        conditions | conditions in {industry} | trading conditions | public finances | household finances |
        relations with {region} | the prospects of {industry} | the prospects for growth | the finances of
        {firm} | supply conditions | the results of {firm} | the results of {bank} | working conditions | terms
        of trade | the books of {bank} | the fundamentals of {industry} | earnings prospects""",
        1,
        plural=True,
    ),
)

TURNS = (
    *verbs(
        """improve | recover | strengthen | firm | brighten | rebound | heal | stabilize | revive | thrive |
        prosper | blossom | calm down | normalize | progress | bounce back""",
        1,
    ),
    *verbs(
        """worsen | weaken | deteriorate | soften | darken | erode | degenerate | languish | struggle | decay |
        suffer | falter | crumble | collapse | sour | break down/broke down/broken down""",
        -1,
    ),
)

STATES = (
    *phrases(
        """strong | solid | robust | healthy | sound | favorable | resilient | encouraging | promising | good |
        excellent | bright | comfortable | supportive | impressive | vigorous | stable and sound | prosperous |
        satisfactory | superb | superior | flourishing | rosy | competitive | outstanding | remarkable |
        dependable""",
        1,
    ),
    *phrases(
        """weak | fragile | poor | strained | unfavorable | depressed | disappointing | alarming | bleak | bad |
        gloomy | vulnerable | precarious | troubling | dismal | adverse | grim | shaky | miserable | inadequate
        | insufficient | unsustainable | worrying | critical | desperate | unhealthy | deplorable | hopeless""",
        -1,
    ),
)

EVENTS = (
    *nouns(
        """a record profit | a lasting recovery | a new trade agreement | a breakthrough in the talks | an
        upgrade by the rating agency | full repayment of the loan | a successful auction | strong demand for the
        new bond | a large order from {region} | a rise in the dividend | a quick settlement of the strike | the
        reopening of the mine | a rich discovery of gold | approval of the merger | a return to full employment
        | a solid quarter | a landmark contract | a generous bonus for all workers | relief from tariffs | a tax
        refund | a patent for a new battery | a debt write-off | record deliveries | the award of a license | a
        triumph in court | an end to the blockade | a rescue by investors | the return of confidence | an early
        repayment of bonds""",
        1,
    ),
    *nouns(
        """a heavy loss | a deep recession | a wave of bankruptcies | a run on deposits | a cut in the credit
        rating | a default on its bonds | a failed auction | the closure of the mine | a severe shortage of cash
        | a cut in the dividend | a costly lawsuit | an accident at the refinery | a trade dispute with {region}
        | a banking crisis | a sudden stop of payments | a weak quarter | the loss of a license | a fine for
        fraud | a recall of vehicles | a cyber attack | a fire in the warehouse | a boycott by {region} | the
        resignation of the auditor | a missed interest payment | a freeze of accounts | the collapse of a bridge
        loan | a profit warning | a plunge in sales | a strike at the port | bad debts""",
        -1,
    ),
)

RATIOS = (
    *nouns(
        """output growth | the growth rate | growth of gross domestic product | annual wage growth | real income
        growth | sales growth | the return on equity | the capital ratio | the employment rate | the
        participation rate | the profit margin | export growth | productivity growth | the dividend yield |
        credit growth""",
        1,
    ),
    *nouns(
        """the unemployment rate | consumer price inflation | annual inflation | core inflation | the default
        rate | the deficit | the vacancy rate of offices | the share of bad loans | food price inflation | the
        debt ratio | the poverty rate | the loss rate on credit cards | the jobless rate | energy price
        inflation""",
        -1,
    ),
)

SURPRISES = (*phrases("more | faster | more strongly", 1), *phrases("less | more slowly | less strongly", -1))
SIDES = (
    *phrases("above | well above | far above | slightly above", 1),
    *phrases("below | well below | far below | slightly below", -1),
)

POLICY_LEXICON: Lexicon = {
    **CIRCUMSTANCES,
    "measure": (*WELCOME, *UNWELCOME),
    "welcome": WELCOME,
    "unwelcome": UNWELCOME,
    "holding": INDIFFERENT,
    "move": MOVES,
    "change": DESCRIBED_CHANGES,
    "height": HEIGHTS,
    "condition": CONDITIONS,
    "turn": TURNS,
    "state": STATES,
    "event": EVENTS,
    "ratio": RATIOS,
    "more": SURPRISES,
    "above": SIDES,
}
