"""What columns of prices are called, in the languages in which exchanges, banks and data shops write them.

Words only help: what the open, the high, the low and the close are is told by their numbers first
(:mod:`goldviz.data.tables.bars`).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


DATE_WORDS = frozenset(
    _words(
        "date dates day time timestamp datetime month period epoch data datum fecha tarih dia jour giorno dag дата "
        "время 日付 日期 時間 날짜"
    )
)
MONTH_WORDS: tuple[tuple[str, ...], ...] = (
    _words("january jan januar jän janvier janv enero ene gennaio gen janeiro"),
    _words("february feb februar février févr fév febrero febbraio fevereiro fev"),
    _words("march mar märz mär mrz mars marzo março"),
    _words("april apr avril avr abril abr aprile"),
    _words("may mai mayo maggio mag maio"),
    _words("june jun juni juin junio giugno giu junho"),
    _words("july jul juli juillet juil julio luglio lug julho"),
    _words("august aug août aou agosto ago"),
    _words("september sept sep septembre septiembre settembre set setembro"),
    _words("october oct oktober okt octobre octubre ottobre ott outubro out"),
    _words("november nov novembre noviembre novembro"),
    _words("december dec dezember dez décembre déc diciembre dic dicembre dezembro"),
)
"""The months in English, German, French, Spanish, Italian and Portuguese, in full and as they are shortened."""

DATE_PARTS = {
    "year": frozenset(_words("year yr jahr annee ano anno rok")),
    "quarter": frozenset(_words("quarter qtr quartal trimestre")),
    "month": frozenset(_words("month mo monat mois mes mese period")),
    "day": frozenset(_words("day tag jour dia giorno")),
}
"""What columns are called that hold the dates together."""

HOUR_WORDS = frozenset(_words("hour hours hr he godzina stunde hora heure ora uur 시간"))
CLOCK_WORDS = HOUR_WORDS | frozenset(_words("time clock czas zeit uhrzeit tijd saat время 時刻 时间"))
CHANNEL_WORDS = frozenset(_words("channel symbol ticker series variable instrument asset name isin code per country"))
PRICE_WORDS = _words("close settle settlement price last pm gold xau value")
"""A column with the first of these words in its name is taken for what is to be forecast."""

CLOSE_WORDS = _words(
    "zamkniecie zamkniecia schluss schlusskurs schlussk ultimo ultima cierre fechamento cloture dernier chiusura slot "
    "slotkoers kapanis закрытие закр 終値 收盘 收盤 종가 kurs wert preis prix precio preco prezzo cena koers цена "
    "価格 가격"
)
OPEN_WORDS = _words(
    "otwarcie eroffnung eroeffnung apertura abertura ouverture openingskoers acilis открытие 始値 开盘 開盤 시가"
)
HIGH_WORDS = _words("najwyzszy hoch maximo maxima maximum max haut massimo hoogste yuksek макс 高値 最高 고가")
LOW_WORDS = _words("najnizszy tief minimo minima minimum min bas laagste dusuk мин 安値 最低 저가")
BAR_WORDS = _words("open high low")
ADJUSTED_WORDS = frozenset(_words("adj adjusted"))
VOLUME_WORDS = frozenset(
    _words(
        "volume vol turnover contracts lots shares wolumen volumen volumes obrot umsatz stuck объем 出来高 成交量 "
        "거래량 hacim"
    )
)
CHANGE_WORDS = frozenset(
    _words("change chg var variation variacion variacao variazione zmiana veranderung изм изменение 前日比 涨跌 등락")
)
COUNT_WORDS = frozenset(_words("id index no nr row trades interest"))
NO_PRICE_WORDS = CHANGE_WORDS | VOLUME_WORDS | COUNT_WORDS
"""What never is the price where another column can be."""
_PLAIN = str.maketrans({"ł": "l", "ø": "o", "ß": "ss", "ı": "i", "đ": "d"})
_LONG = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2,}")
_OF_EAST_ASIA = frozenset(
    word
    for word in (*DATE_WORDS, *CLOSE_WORDS, *OPEN_WORDS, *HIGH_WORDS, *LOW_WORDS, *VOLUME_WORDS, *CHANGE_WORDS)
    if _LONG.fullmatch(word)
)
KNOWN_WORDS = frozenset({*DATE_WORDS, *CLOSE_WORDS, *OPEN_WORDS, *HIGH_WORDS, *LOW_WORDS, *VOLUME_WORDS, *CHANGE_WORDS})


@lru_cache(4096)
def name_words(name: str) -> frozenset[str]:
    """The words of a column's name in small letters, without accents.

    Of East Asian names, which have no blanks, those that are known stand there.

    >>> sorted(name_words("observation_date (USD)")), name_words("Máxima"), name_words("データ日付") >= {"日付"}
    (['date', 'observation', 'usd'], frozenset({'maxima'}), True)
    """
    letters = unicodedata.normalize("NFKD", name.lower().translate(_PLAIN))
    plain = unicodedata.normalize(
        "NFKC", "".join(sign for sign in letters if sign in "\u3099\u309a" or not unicodedata.combining(sign))
    )
    words = set(re.findall(r"[^\W_]+", plain))
    if _LONG.search(plain):
        words |= {word for word in _OF_EAST_ASIA if word in plain}
    return frozenset(words)
