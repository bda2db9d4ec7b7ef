"""Words that a period may follow inside a sentence, by what may come after the period."""

from __future__ import annotations

import re
from enum import Enum, auto

from firstword.chunker.word_lists import listed


class Follow(Enum):
    """What must come after a terminator for it to end its sentence."""

    ANYTHING = auto()
    """An ordinary lower-case word stood before: white space is enough."""
    NO_LOWER = auto()
    """Anything but a lower-case word or a mark that goes on."""
    ELLIPSIS = auto()
    """The same; but a voice that pauses here may still go on."""
    CAPITAL = auto()
    """A capital or a digit, after an abbreviation that often stands last (``etc.``)."""
    TIME = auto()
    """The same, but no day or time zone (``9 a.m. Monday``), and a ``STARTER`` where the sentence
    has only begun (``At 5 p.m. Mr. Lee left``)."""
    UNIT = auto()
    """A capital, after a unit with its number (``5 ft. 10 in.``)."""
    NUMBERED = auto()
    """A capital that is no number (``No. 5``, ``Vol. II``, ``Jan. 3``)."""
    STARTER = auto()
    """A word that starts sentences rather than going on with a name (``Inc.``, ``U.S.``)."""
    NEVER = auto()
    """Nothing: what stands before belongs to what follows (``Dr.``, ``e.g.``)."""


def _table(**classes: str) -> dict[str, Follow]:
    return {word: Follow[name] for name, words in classes.items() for word in words.split()}


_WORDS = _table(
    NEVER="""
        Mr Mrs Ms Mx Dr Drs Prof Profs Rev Revd Fr Br Hon Gen Col Maj Capt Cmdr Cdr Comdr Lt Sgt
        Cpl Pvt Pfc Adm Gov Govs Sen Sens Rep Reps Pres Supt Insp Det Messrs Mme Mmes Mlle Mlles
        Mgr Msgr Ven Amb Treas Cllr Brig Ens Mt Ft MM Atty
        Wm Chas Geo Jas Thos Robt Edw Benj
        Sra Srta Sres Sras Dra Dña Ud Uds Vd Vds Dott Avv Sig Hr Frl Ing Dipl Mag Dhr Mevr
        mr mrs ms dr dhr mevr sra
        vs cf ca viz approx esp incl excl attn resp
        bzw vgl evtl ggf inkl exkl sog zzgl bspw insb bijv np tzn ul см ул
        डॉ श्री प्रो
    """,
    STARTER="""
        Inc Ltd Co Cos Corp Bros Cie Pty Pte Hnos Dept Depts Univ Inst Div Dist Assn Assoc Natl
        Intl Mfg Govt Cmte Acad Hosp Est Vs Sec Secs inc ltd corp co bros prof dott avv
        sig ing av avda bd
        Jr Sr Jun Esq Ret al cit seq
        St Ste Ave Av Blvd Rd Ln Hwy Pkwy Pl Ct Sq Ter Cir Apt Bldg Fl Rm Mts Expy Fwy Rte Str Avda
        Ala Ariz Calif Cal Colo Conn Del Fla Ga Ill Kans Kan Ky Mass Mich Minn Miss Mo Mont
        Neb Nebr Nev Okla Ore Pa Penn Tenn Tex Va Vt Wash Wis Wisc Wyo Ont Que Alta Sask
        EE UU Chr Jh Jhd geb gest verh Mio Mrd Tsd
    """,
    NUMBERED="""
        No Nos Nr Fig Figs Vol Vols Ch Chap Chaps Sect Art Arts Eq Eqs Eqn Para Paras Ver Vers Ref
        Refs Ex App Pt Pts Tab Abb Abs Bd Kap Op Ep Eps Pg Pgs Pp Bk Núm Pág
        no nos nr fig figs vol vols ch chap sect art arts eq eqs eqn para paras subsec ver refs pt
        pts op ep eps p pp pg pgs núm pág págs bk tel ext fol n° nº est max min avg
        Jan Feb Febr Mar Apr Jun Jul Aug Sep Sept Oct Okt Nov Dec Dez Ene Abr Ago Dic
        Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun
    """,
    CAPITAL="""
        etc usw usf ecc enz itd itp
        dept depts mgr mgrs govt assn assoc asst admin univ inst natl intl dist div apt appt bldg
        bldgs blvd ave abbr acct addr agcy amt cert cont contd ctr doz eds elev encl esq exch
        fwd hosp hwy ibid illus jr lat lb lbs mfg mfr mgmt mins misc mkt mktg mtg mtge neg obs orig
        pct pkg pkgs pkwy pseud publ qtr qty recd reg repr reqd rpt rte std stmt st suppl supt surg
        syn temp treas usu wk wks wt yr yrs hr hrs sec secs jan feb apr jul aug sept oct nov str
        ej stk ff fn kg km cm oz ft yd yds sq mph kph rpm deg tsp tbsp qt gal
        млн млрд тыс руб др
    """,
)
_UNITS = listed("""
    in ft yd yds mi oz lb lbs pt qt gal tsp tbsp kg g mg km m cm mm ml cl l ha mph kph rpm h hr hrs
    min mins sec secs s deg cu sq kcal cal kw hp db ghz mhz khz hz std sek bps fps
    """)
_DOTTED = _table(
    NEVER="""
        e.g i.e a.k.a f.k.a d.b.a c.f w.r.t p.s p.p.s n.b
        z.b d.h u.a v.a o.ä o.g u.u z.t m.e i.a s.o s.u i.d.r p.ej p.ex т.е
    """,
    TIME="a.m p.m b.c b.c.e c.e",
    CAPITAL="u.s.w т.д т.п",
    UNIT="a.d",
)
_DOTTED_LETTERS = re.compile(
    r"(?:[^\W\d_]\.)+[^\W\d_]|(?:[A-Z][a-z]{0,2}\.)+[A-Z][a-z]{0,3}|EE\.UU|sig\.ra|dott\.ssa"
)
_VOWELLESS = re.compile(r"[b-df-hj-np-tv-xz]{2,6}")
_SOUNDS = listed("hm hmm hmmm mm mmm sh shh psst pst pfft brr brrr tsk nth grr grrr")

EXCLAIMED: dict[str, frozenset[str]] = {
    "Yahoo": listed(
        "Finance Mail News Sports Answers Inc Japan Search Messenger Groups Maps Music"
    ),
    "Panic": frozenset({"At"}),
    **dict.fromkeys(
        listed("Jeopardy Wham Therapy Guess Joomla Oklahoma Yum Chips"), frozenset[str]()
    ),
}
"""Names that end in ``!`` or ``?``, with the words that go on with them."""


def after_word(word: str, *, counted: bool) -> Follow | None:
    """The class of an abbreviation, given without its last period; None for any other word.

    ``counted`` says that a number stands before it, as it does before a unit.
    """
    if counted and word.lower() in _UNITS:
        return Follow.UNIT
    if "." in word:
        return _after_dotted(word)
    if (known := _WORDS.get(word)) is not None:
        return known
    lower = word.lower()
    if word not in {lower, lower.capitalize()} or (word != lower and len(word) < 2):
        return None
    known = _WORDS.get(lower)
    if known is None and _VOWELLESS.fullmatch(lower) and lower not in _SOUNDS:
        known = Follow.CAPITAL
    if known is None and len(word) > 4 and lower.endswith("str"):
        known = Follow.NUMBERED
    return Follow.STARTER if known is Follow.CAPITAL and word != lower else known


def after_pair(first: str, second: str) -> Follow | None:
    """The class of an abbreviation written with a space (``z. B.``, ``p. ex.``)."""
    return _DOTTED.get(f"{first}.{second}".lower())


def _after_dotted(word: str) -> Follow | None:
    if (known := _DOTTED.get(word.lower())) is not None:
        return known
    if not _DOTTED_LETTERS.fullmatch(word):
        return None
    return Follow.CAPITAL if word == word.lower() else Follow.STARTER
