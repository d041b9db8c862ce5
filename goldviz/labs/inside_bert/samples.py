"""Statements to look into, written for the laboratory in the manner of a central bank; no bank has said them.

Each shows one thing: ten words, a plain statement, a negation, a contrast, two that differ in one word, two that are
read as a pair, one that no model reads in a single chunk, and one without a letter that an English vocabulary knows.
"""

from __future__ import annotations

TEN_WORDS = "Gold prices rose because inflation remained elevated and yields fell."
PLAIN = (
    "The Committee decided to raise the target range by 25 basis points. Inflation remains elevated, and the labor "
    "market has stayed strong."
)
NEGATION = (
    "The Committee did not raise the target range. Inflation is no longer elevated, and the labor market is not strong."
)
CONTRAST = "Although economic growth has weakened, inflation remains elevated and gold prices rose sharply."
ONE_WORD = ("Gold prices rose as inflation remained elevated.", "Gold prices fell as inflation remained elevated.")
PAIR = (
    "Inflation remains elevated and the labor market has stayed strong. [SEP] The Committee decided to raise the "
    "target range."
)
OTHER_SENSES = "A rose of gold leaf fell from the shelf, and the shop cut its prices."
"""Words of :data:`TEN_WORDS` that mean something else here."""
UNKNOWN = "金價 上升 ☂ 通脹 回落 ☃ 利率 不變"

LONG = " ".join(
    (
        "Recent indicators suggest that economic activity has expanded at a moderate pace since the Committee met in "
        "the spring.",
        "Job gains have slowed in recent months but remain strong, and the unemployment rate has stayed low.",
        "Inflation eased over the past year, yet it remains above the longer run goal of 2 percent.",
        "Household spending rose at a solid pace, supported by higher wages and by savings that were built up earlier.",
        "Business investment in equipment weakened, and orders for new machines fell for the third month in a row.",
        "Housing activity declined as mortgage rates reached their highest level in more than ten years.",
        "Exports increased moderately, while imports fell because demand for consumer goods was weak.",
        "Energy prices declined in the first half of the year and rose again when supply was cut.",
        "Gold prices rose sharply as real yields fell and investors looked for safety.",
        "Credit conditions for households and businesses have become tighter, and banks report weaker demand for "
        "loans.",
        "The Committee seeks to achieve maximum employment and inflation at the rate of 2 percent over the longer run.",
        "In support of these goals, the Committee decided to keep the target range for its policy rate unchanged.",
        "The Committee will continue to reduce its holdings of government bonds and of mortgage securities.",
        "The economic outlook is uncertain, and the Committee remains highly attentive to inflation risks.",
        "The risks to employment and to inflation are moving into better balance, although they have not gone away.",
        "Several members noted that the full effect of higher rates on growth has not been seen yet.",
        "Other members expected that inflation would decline slowly because rents and wages follow prices late.",
        "A few members preferred to lower rates at this meeting, and pointed to the weaker labor market abroad.",
        "Financial markets expected no change of the policy rate, and the dollar was little changed after the last "
        "meeting.",
        "Stock prices increased over the period, while the yield of the ten year bond fell by 15 basis points.",
        "Growth in the euro area remained weak, and the recovery in Asia was slower than expected.",
        "Staff expect that growth will slow in the second half of the year and then return to its usual pace.",
        "They revised their forecast for inflation down, mainly because energy prices were lower than assumed.",
        "The labor market is expected to cool, with the unemployment rate rising by a few tenths of a percentage "
        "point.",
        "In assessing the proper path of monetary policy, the Committee will monitor the data as they arrive.",
        "It would be prepared to adjust its policy if risks emerge that could keep it from reaching its goals.",
        "Its assessments will take into account labor market conditions, inflation pressures, and financial and "
        "international developments.",
        "The members agreed that policy must stay restrictive until they are confident that inflation moves toward "
        "the goal.",
        "They do not expect that it will be appropriate to lower the target range before that confidence has grown.",
        "All members voted for the decision, and the next meeting will be held in six weeks.",
    )
)
"""Some 500 words: more pieces than a model with 512 positions reads at once."""
