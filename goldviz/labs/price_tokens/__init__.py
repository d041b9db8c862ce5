"""Price tokens: a market's returns become tokens, and a language model forecasts the next one."""

from goldviz.declare.laboratory import Laboratory

LAB = Laboratory(__name__, "price-tokens", settings="PriceTokens", extra="markets")
