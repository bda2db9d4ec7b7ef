"""Words that say, by being capitalised after an abbreviation or a number, what that was."""

from __future__ import annotations

import re

from firstword.chunker.word_lists import listed

STARTERS = listed("""
    I He She It We You They This That These Those There Here The A An My Your His Her Its Our Their
    One Some Any All Both Each Every Many Most Much Few Several Another Other Others Such Same None
    Nobody Nothing No Not Nor Neither Either Everyone Everybody Everything Someone Somebody
    Something Anyone Anything People
    And But Or So Yet For If When While Where Why How What Who Whose Whom Which Whether Because
    Since Although Though Unless Until Once As Then Than Thus Hence Therefore However Moreover
    Furthermore Meanwhile Otherwise Instead Indeed Besides Nevertheless Nonetheless Consequently
    Additionally Also Too Still Even Just Only Again Already Always Never Often Sometimes Usually
    Perhaps Maybe Probably Certainly Clearly Obviously Actually Basically Finally Eventually
    Suddenly Recently Later Soon Now Today Tomorrow Yesterday Tonight Afterwards Afterward Before
    After During Between Among Within Without Despite According Apart Due Given Based Using
    In On At By From To Into Of With About Above Below Under Over Through Across Along Around
    Against Behind Beyond Like Unlike Near
    Is Are Was Were Am Do Does Did Has Have Had Can Could Should Would Must Might Shall Won't
    Can't Cannot Let Lets
    Please Thanks Thank Yes Yeah Yep Nope Ok Okay Well Oh Ah Hey Hi Hello Sorry Sure Right
    Note See Check Try Use Go Come Ask Bring Add Click Open Take Make Remember Consider Imagine
    Look Listen Wait Stop Keep Give Tell Put Get Find Start Turn Press Choose Select Enter
    First Second Third Next Last Two Three Four Five Six Seven Eight Nine Ten
    Er Sie Es Wir Ich Ihr Das Ein Eine Dieser Diese Dieses Und Aber Oder Doch Danach Dann Dort
    Hier Heute Jetzt Nun Dabei Daher Deshalb Trotzdem Außerdem Auch Nur Wenn Weil Als Wie Wer Wo
    Ella Ellos Ellas Él Yo Nosotros Ustedes Pero También Después Luego Entonces Está Están Esto
    Esta Este Cuando Porque Ahora Aquí
    Il Elle Ils Elles Nous Vous Je Puis Mais Ensuite Cependant Donc Quand Ici C'est Ce Cette
    """)
"""Words that begin a sentence far more often than they go on with a name or a title."""

GERMAN_MONTHS = listed("Januar Jänner Februar Feber März Mai Juni Juli Oktober Dezember")
MONTHS = GERMAN_MONTHS | listed("""
    January February March April May June July August September October November December
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec
    """)
WEEKDAYS = listed("""
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mondays Tuesdays Wednesdays Thursdays
    Fridays Saturdays Sundays Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun
    """)
AFTER_TIMES = (
    MONTHS
    | WEEKDAYS
    | listed("""
        EST EDT ET CST CDT CT MST MDT MT PST PDT PT GMT UTC BST CET CEST IST JST AEST Eastern
        Central Mountain Pacific Greenwich Zulu
        """)
)
"""What goes on after ``9 a.m.`` in spite of its capital."""

_NUMBER_NAME = re.compile(r"[A-Z]|[A-Z]?\d\w*|[IVXLC]{2,6}|One|Two|Three|Four|Five|Six|Ten")
_CONTRACTED = re.compile(r"(?:n't|'(?:s|re|ll|ve|d|m))\Z")


def is_starter(word: str) -> bool:
    """Whether ``word``, with or without a contraction, starts sentences."""
    word = word.replace("’", "'")
    return word in STARTERS or _CONTRACTED.sub("", word) in STARTERS


def is_number_name(word: str) -> bool:
    """Whether ``word`` names a number, as in ``Vol. II`` or ``Fig. A``."""
    return word != "I" and _NUMBER_NAME.fullmatch(word) is not None
