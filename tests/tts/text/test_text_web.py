from __future__ import annotations

from collections.abc import Callable

import pytest

SAID = [
    ("https://www.example.com/docs/my-page?x=1#top", "example dot com slash docs slash my page"),
    (
        "Visit http://localhost:8080/api/v1/users now.",
        "Visit localhost colon eighty eighty slash A P I slash V one slash users now.",
    ),
    ("See example.com, or my-site.co.uk.", "See example dot com, or my dash site dot co dot U K."),
    ("It runs on openai.io.", "It runs on openai dot I O."),
    ("john.smith@example.co.uk", "john dot smith at example dot co dot U K"),
    ("support+help@my-company.io", "support plus help at my dash company dot I O"),
    ("192.168.0.1:8080", "one nine two dot one six eight dot zero dot one colon eighty eighty"),
    ("10.0.0.0/24", "one zero dot zero dot zero dot zero slash twenty-four"),
    ("00:1A:2B:3C:4D:5E", "zero zero, one A, two B, three C, four D, five E"),
    ("fe80::1", "F E eight zero, one"),
    ("commit e3b0c442", "commit E three B zero C four four two"),
    ("main.py", "main dot P Y"),
    ("package.json and README.md", "package dot jason and read me dot M D"),
    ("song.mp3", "song dot M P three"),
    ("/usr/local/bin", "slash usr slash local slash bin"),
    ("~/notes/to-do.txt", "home slash notes slash to do dot T X T"),
    ("C:\\Users\\me", "C colon backslash users backslash me"),
    ("src/main.rs", "S R C slash main dot R S"),
    ("os.path.join", "os dot path dot join"),
    ("#FridayFeeling", "hashtag friday feeling"),
    ("#ff8800", "hash F F eight eight zero zero"),
    ("@john_doe", "at john underscore doe"),
    ("Upgrade to 2.0.1 today.", "Upgrade to two point zero point one today."),
    ("v2.0.1-beta.2", "version two point zero point one beta two"),
    ("v3", "version three"),
    ("Python 3.12 is out.", "Python three point twelve is out."),
    ("pi is 3.12", "pi is three point one two"),
    ('<speed ratio="1.05"/>Hello <b>you</b>.', "Hello you."),
    ("git clone <repo>", "git clone repo"),
]


@pytest.mark.parametrize(("written", "spoken"), SAID)
def test_addresses_and_file_names_are_said_in_words(
    written: str, spoken: str, said: Callable[..., str]
) -> None:
    assert said(written) == spoken
