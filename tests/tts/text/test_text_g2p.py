from __future__ import annotations

import builtins
import logging
import socket
import threading
from collections.abc import Mapping, Sequence

import pytest
from firstword.tts.text.espeak import espeak_or_none
from firstword.tts.text.g2p import G2P, Tagger
from firstword.tts.text.vocabulary import TOKENS, sounds


def spoken(g2p: G2P, text: str) -> list[tuple[str, str]]:
    phonemes = g2p.phonemize(text)
    return [(word.text, phonemes.symbols[word.first : word.last]) for word in phonemes.words]


def test_words_become_phonemes_with_their_places(american: G2P) -> None:
    assert spoken(american, "Hello there, friend.") == [
        ("Hello", "həlˈO"),
        ("there", "ðˈɛɹ"),
        ("friend", "fɹˈɛnd"),
    ]


def test_marks_stay_where_they_were(american: G2P) -> None:
    assert american.phonemize('"Hello," she said.').symbols == "“həlˈO,” ʃi sˈɛd."
    assert american.phonemize("I got a B. (Really?!)").symbols == "ˌI ɡɑt ɐ bˈi. (ɹˈiᵊli?!)"


def test_context_decides_how_a_word_sounds(american: G2P) -> None:
    said = spoken(american, "I read it yesterday; I will read it today.")
    assert [sound for text, sound in said if text == "read"] == ["ɹˈɛd", "ɹˈid"]
    said = spoken(american, "the apple, the bear")
    assert [sound for text, sound in said if text == "the"] == ["ði", "ðə"]


def test_the_accents_differ(american: G2P, british: G2P) -> None:
    assert spoken(american, "bath") == [("bath", "bˈæθ")]
    assert spoken(british, "bath") == [("bath", "bˈɑːθ")]


def test_curly_apostrophes_sound_like_straight_ones(american: G2P) -> None:
    curly, straight = "I’m sure it’s fine.", "I'm sure it's fine."
    assert american.phonemize(curly).symbols == american.phonemize(straight).symbols


def test_written_amounts_keep_their_own_text(american: G2P) -> None:
    assert [text for text, _ in spoken(american, "$100 after 9:30PM, 40–60°C.")] == [
        "$100",
        "after",
        "9:30PM",
        "40–60°C",
    ]


def test_a_rules_capitals_are_letters(american: G2P) -> None:
    assert spoken(american, "at 5 a.m. sharp")[1:3] == [("5", "fˈIv"), ("a.m.", "ˌAˈɛm")]


def test_names_that_are_shouted_are_not_spelled(american: G2P) -> None:
    (_, shouted), (_, written) = spoken(american, "KUBERNETES Kubernetes")
    assert shouted == written
    assert spoken(american, "HTTPS")[0][1].count("ˌ") >= 4


@pytest.mark.parametrize(
    "text",
    [
        "button kitten",
        "Nguyen, Krzyzewski, Xochimilco, Łódź, Đồng, Žižek",
        "qwrtplk zzz hmm psst",
        "«Ça» naïve façade résumé",
        "Москва 你好 안녕 नमस्ते مرحبا",
        "x" * 200,
    ],
)
def test_no_word_is_silent_and_no_symbol_unknown(
    text: str, american: G2P, british: G2P, without_espeak: G2P
) -> None:
    for g2p in (american, british, without_espeak):
        phonemes = g2p.phonemize(text)
        assert set(phonemes.symbols) <= TOKENS.keys()
        assert phonemes.words
        for word in phonemes.words:
            assert sounds(phonemes.symbols[word.first : word.last]), word


def test_nothing_to_say_gives_no_phonemes(american: G2P) -> None:
    assert american.phonemize("😀 …").symbols == ""
    assert american.phonemize("").words == ()


def test_loading_asks_no_network(tagger: Tagger, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert spoken(G2P("a", tagger=tagger), "offline")


def test_without_espeak_loading_says_so_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real = builtins.__import__

    def refuse(
        name: str,
        globals_: Mapping[str, object] | None = None,
        locals_: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> object:
        if name.startswith(("misaki.espeak", "phonemizer", "espeakng_loader")):
            raise ImportError(name)
        return real(name, globals_, locals_, fromlist, level)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with caplog.at_level(logging.INFO):
        assert espeak_or_none(british=False) is None
    assert [record.message for record in caplog.records] == [
        "extra=<espeak> | not installed, unknown words are spelled by rule"
    ]


def test_threads_may_share_one(american: G2P) -> None:
    texts = [f"Nguyen the {n}th read Krzyzewski's book." for n in range(4, 10)]
    alone = [american.phonemize(text) for text in texts]
    together: dict[int, list[object]] = {}

    def work(number: int) -> None:
        together[number] = [american.phonemize(text) for text in texts]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert list(together.values()) == [alone] * 4


def test_private_text_is_not_printed_or_logged(
    american: G2P, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        american.phonemize("Xylqthorp 1.2.3.4.5.6.7 ☃ Đồng 5_6-7 a'1 ½½")
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")
    assert all("Xylq" not in record.message for record in caplog.records)
