"""The speech wire without I/O: client and server joined by nothing but their messages."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from firstword.protocol import (
    MAX_AUDIO_FRAME_BYTES,
    Audio,
    Cancel,
    Close,
    Error,
    Flush,
    Frame,
    LocalProtocolError,
    Prompt,
    RemoteProtocolError,
    Session,
    SynthesisCancelled,
    SynthesisComplete,
    SynthesisStart,
    Synthesize,
    Word,
    Words,
    encode,
)


def start(name: str) -> SynthesisStart:
    return SynthesisStart(request_id=name, voice="af_heart", engine="test 1", quality="fast")


def words(name: str) -> Words:
    word = Word(word="Hi", start_s=0.0, end_s=0.2, text_start=0, text_end=2)
    return Words(request_id=name, words=(word,))


def complete(name: str, samples: int = 2) -> SynthesisComplete:
    return SynthesisComplete(
        request_id=name, total_duration_s=samples / 24000, elapsed_s=0.01, samples=samples
    )


def cancelled(name: str) -> SynthesisCancelled:
    return SynthesisCancelled(request_id=name, samples=0)


class Wire:
    """A client and a server; each frame arrives before the next is sent."""

    def __init__(self, **options: Any) -> None:
        names = count(1)
        self.client = Session("client", new_id=lambda: f"c{next(names)}")
        self.server = Session("server", new_id=lambda: f"s{next(names)}", **options)

    def ask(self, *frames: Frame) -> list[Frame]:
        return [e for f in frames for e in self.server.receive(self.client.send(f), binary=False)]

    def answer(self, *frames: Frame) -> list[Frame]:
        events = []
        for frame in frames:
            message = self.server.send(frame)
            events += self.client.receive(message, binary=isinstance(message, bytes))
        return events

    @property
    def open(self) -> tuple[str, ...]:
        assert self.client.open_requests == self.server.open_requests
        return self.server.open_requests


@pytest.fixture
def wire() -> Iterator[Wire]:
    joined = Wire()
    yield joined
    assert joined.client.speaking == joined.server.speaking
    assert joined.open == ()


def remote(session: Session, payload: str | bytes, **options: Any) -> RemoteProtocolError:
    before = session.open_requests, session.speaking
    with pytest.raises(RemoteProtocolError) as caught:
        session.receive(payload, **options)
    assert (session.open_requests, session.speaking) == before
    return caught.value


def refuses_to_send(session: Session, frame: Frame, match: str = ".") -> None:
    before = session.open_requests, session.speaking
    with pytest.raises(LocalProtocolError, match=match):
        session.send(frame)
    assert (session.open_requests, session.speaking) == before


def test_one_request_is_start_then_words_and_audio_then_complete(wire: Wire) -> None:
    [request] = wire.ask(Synthesize(text="Hi.", request_id="a", word_timestamps=True))
    assert request == Synthesize(text="Hi.", request_id="a", word_timestamps=True)
    said: list[Frame] = [start("a"), words("a"), Audio(b"abcd"), Audio(b"ef"), complete("a", 3)]
    assert wire.answer(*said) == said


def test_three_sentences_of_awss_client_go_over_one_session() -> None:
    server = Session("server", new_id=iter("abc").__next__)
    for text, name in zip(("One.", "Two.", "Three."), "abc", strict=True):
        message = json.dumps({"text": text, "voice": "af_heart", "request_timestamp": 1.7e9})
        [request] = server.receive(message.encode(), binary=True)
        assert isinstance(request, Synthesize)
        assert (request.text, request.request_id) == (text, name)
        for frame in (start(name), Audio(b"abcd"), complete(name)):
            server.send(frame)
    assert server.receive(b'{"type": "close"}', binary=True) == [Close()]
    assert server.finished


def test_queued_requests_are_answered_in_order_of_arrival(wire: Wire) -> None:
    wire.ask(Synthesize(text="1", request_id="a"), Synthesize(text="2", request_id="b"))
    assert wire.open == ("a", "b")
    refuses_to_send(wire.server, start("b"), "an older request has not ended")
    wire.answer(start("a"))
    refuses_to_send(wire.server, start("b"), "an older request has not ended")
    wire.answer(complete("a"), start("b"), complete("b"))


def test_a_request_without_id_is_given_one_that_is_not_in_use() -> None:
    names = iter(["a", "a", "b"])
    server = Session("server", new_id=names.__next__)
    server.receive('{"text":"1","request_id":"a"}')
    server.receive('{"text":"2"}')
    assert server.open_requests == ("a", "b")


def test_a_client_gives_its_requests_an_id_before_it_sends_them(wire: Wire) -> None:
    [request] = wire.ask(Synthesize(text="Hi."))
    assert request == Synthesize(text="Hi.", request_id="c1")
    wire.answer(start("c1"), complete("c1"))


def test_text_in_pieces_is_one_request(wire: Wire) -> None:
    pieces = [
        Synthesize(text="One", request_id="a", more=True),
        Synthesize(text=" two", request_id="a", more=True),
        Synthesize(text=" three.", request_id="a"),
    ]
    assert wire.ask(*pieces) == pieces
    assert wire.open == ("a",)
    wire.answer(start("a"), Audio(b"ab"), complete("a"))


def test_speech_may_start_but_not_complete_while_text_is_outstanding(wire: Wire) -> None:
    wire.ask(Synthesize(text="One. Two", request_id="a", more=True))
    wire.answer(start("a"), Audio(b"ab"))
    refuses_to_send(wire.server, complete("a"), "more of its text is announced")
    assert wire.ask(Flush(request_id="a")) == [Flush(request_id="a")]
    wire.answer(complete("a"))


def test_pieces_of_two_requests_may_be_mixed(wire: Wire) -> None:
    wire.ask(
        Synthesize(text="1", request_id="a", more=True),
        Synthesize(text="2", request_id="b", more=True),
        Synthesize(text="1", request_id="a"),
        Flush(request_id="b"),
    )
    wire.answer(start("a"), complete("a"), start("b"), complete("b"))


def test_text_that_continues_needs_an_id() -> None:
    error = remote(Session("server"), '{"text":"a","continue":true}')
    assert error.code == "invalid_frame"
    refuses_to_send(Session("client"), Synthesize(text="a", more=True), "needs a request_id")


def test_a_cancel_with_an_id_ends_that_request_only(wire: Wire) -> None:
    wire.ask(Synthesize(text="1", request_id="a"), Synthesize(text="2", request_id="b"))
    wire.answer(start("a"), Audio(b"ab"))
    assert wire.ask(Cancel(request_id="a")) == [Cancel(request_id="a")]
    assert wire.answer(cancelled("a")) == [cancelled("a")]
    wire.answer(start("b"), complete("b"))


def test_a_cancel_without_an_id_ends_all(wire: Wire) -> None:
    wire.ask(Synthesize(text="1", request_id="a"), Synthesize(text="2", request_id="b", more=True))
    wire.answer(start("a"))
    assert wire.ask(Cancel()) == [Cancel()]
    assert wire.answer(cancelled("a"), cancelled("b")) == [cancelled("a"), cancelled("b")]


def test_a_cancel_of_nothing_or_twice_gives_no_event(wire: Wire) -> None:
    cancel = Cancel(request_id="a")
    assert wire.ask(cancel) == []
    wire.ask(Synthesize(text="1", request_id="a"), cancel)
    assert wire.ask(cancel) == []
    wire.answer(cancelled("a"))


def test_a_cancel_of_all_is_told_where_nothing_is_open(wire: Wire) -> None:
    assert wire.ask(Cancel()) == [Cancel()]
    wire.ask(Synthesize(text="1", request_id="a"), Cancel())
    assert wire.ask(Cancel()) == [Cancel()]
    wire.answer(cancelled("a"))


def test_what_is_on_its_way_when_a_request_is_cancelled_is_dropped(wire: Wire) -> None:
    wire.ask(Synthesize(text="1", request_id="a"))
    on_its_way = [wire.server.send(f) for f in (start("a"), words("a"), Audio(b"abcd"))]
    wire.ask(Cancel(request_id="a"))
    for message in on_its_way:
        assert wire.client.receive(message, binary=isinstance(message, bytes)) == []
    assert wire.answer(cancelled("a")) == [cancelled("a")]


def test_a_cancel_that_crosses_the_last_frame_does_nothing(wire: Wire) -> None:
    wire.ask(Synthesize(text="1", request_id="a"))
    wire.answer(start("a"))
    last = wire.server.send(complete("a"))
    assert wire.ask(Cancel(request_id="a")) == []
    assert wire.client.receive(last, binary=False) == [complete("a")]


def test_a_cancelled_request_takes_no_more_text(wire: Wire) -> None:
    wire.ask(Synthesize(text="1", request_id="a", more=True), Cancel(request_id="a"))
    refuses_to_send(wire.client, Synthesize(text="2", request_id="a"), "it was cancelled")
    refuses_to_send(wire.client, Flush(request_id="a"), "it was cancelled")
    wire.answer(cancelled("a"))


def test_a_request_is_not_cancelled_unless_asked(wire: Wire) -> None:
    wire.ask(Synthesize(text="1", request_id="a"))
    refuses_to_send(wire.server, cancelled("a"))
    wire.answer(start("a"))
    refuses_to_send(wire.server, cancelled("a"))
    wire.answer(complete("a"))


def test_a_request_that_fails_before_its_turn_does_not_disturb_the_one_that_speaks(
    wire: Wire,
) -> None:
    wire.ask(Synthesize(text="1", request_id="a"), Synthesize(text="2", request_id="b"))
    wire.answer(start("a"), Audio(b"ab"))
    failed = Error(code="unknown_voice", message="no such voice", request_id="b")
    assert wire.answer(failed, Audio(b"cd"), complete("a")) == [
        failed,
        Audio(b"cd"),
        complete("a"),
    ]


def test_the_rest_of_a_failed_request_is_passed_over_up_to_its_end(wire: Wire) -> None:
    piece = Synthesize(text="1", request_id="a", more=True)
    wire.ask(piece)
    on_its_way = wire.client.send(piece)
    wire.answer(Error(code="unknown_voice", message="no such voice", request_id="a"))
    assert wire.server.receive(on_its_way) == []
    assert wire.ask(piece, Flush(request_id="a")) == []
    assert wire.ask(Synthesize(text="1", request_id="a")) != []
    wire.answer(start("a"), complete("a"))


@pytest.mark.parametrize(
    "end", [Cancel(), Cancel(request_id="a"), Synthesize(text="", request_id="a")]
)
def test_a_failed_request_is_over_when_its_text_is(wire: Wire, end: Frame) -> None:
    wire.ask(Synthesize(text="1", request_id="a", more=True))
    wire.answer(Error(code="x", message="y", request_id="a"))
    assert wire.ask(end) == ([end] if end == Cancel() else [])
    assert wire.ask(Synthesize(text="1", request_id="a")) != []
    wire.answer(start("a"), complete("a"))


def test_an_id_is_free_again_after_the_last_frame_and_not_before(wire: Wire) -> None:
    request = Synthesize(text="1", request_id="a")
    wire.ask(request)
    refuses_to_send(wire.client, request, "still open")
    error = remote(wire.server, encode(request))
    assert error.code == "duplicate_request"
    wire.answer(start("a"), complete("a"))
    wire.ask(request)
    wire.answer(start("a"), complete("a"))


def test_an_error_about_a_bad_message_does_not_end_the_open_request_that_it_names(
    wire: Wire,
) -> None:
    wire.ask(Synthesize(text="1", request_id="a"))
    wire.answer(start("a"))
    for bad in (
        '{"request_id":"a","text":5}',
        '{"request_id":"a","type":"sing"}',
        '{"text":"1","request_id":"a"}',
    ):
        error = remote(wire.server, bad)
        assert error.request_id is None
        assert "the request goes on" in str(error)
        assert wire.answer(error.frame()) == [error.frame()]
    assert wire.open == ("a",)
    wire.answer(Audio(b"ab"), complete("a"))


def test_the_rest_of_a_request_whose_first_piece_was_bad_is_passed_over() -> None:
    server = Session("server")
    remote(server, '{"request_id":"a","text":"1","speed":9,"continue":true}')
    assert server.receive('{"request_id":"a","text":"2","continue":true}') == []
    assert server.receive('{"type":"flush","request_id":"a"}') == []
    assert server.open_requests == ()
    assert len(server.receive('{"request_id":"a","text":"1"}')) == 1


def test_an_error_about_a_bad_message_names_a_request_that_is_not_open(wire: Wire) -> None:
    error = remote(wire.server, '{"request_id":"b","text":"1","speed":9}')
    assert error.request_id == "b"
    assert wire.answer(error.frame()) == [error.frame()]


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (b"\xff\xfe", "invalid_json"),
        ("{", "invalid_json"),
        ("[]", "invalid_frame"),
        ('{"type":"sing"}', "unknown_type"),
        ('{"type":"flush","request_id":"x"}', "unknown_request"),
        ('{"type":"prompt","prompt":"Hi"}', "unexpected_frame"),
        (encode(start("x")), "unexpected_frame"),
        (b" " * 300, "too_large"),
    ],
)
def test_a_bad_message_is_an_error_with_a_code_and_the_session_goes_on(
    payload: str | bytes, code: str
) -> None:
    server = Session("server", max_message_bytes=200)
    assert remote(server, payload, binary=isinstance(payload, bytes)).code == code
    assert len(server.receive('{"text":"1"}')) == 1


def test_more_open_requests_than_allowed_are_refused() -> None:
    server = Session("server", max_requests=2)
    for name in "ab":
        server.receive(encode(Synthesize(text="1", request_id=name)))
    error = remote(server, '{"text":"1","request_id":"c"}')
    assert (error.code, error.request_id) == ("too_many_requests", "c")
    remote(server, '{"text":"1","request_id":"d","continue":true}')
    assert server.receive('{"text":"2","request_id":"d"}') == []


def test_close_finishes_what_is_queued_and_takes_no_more(wire: Wire) -> None:
    wire.ask(Synthesize(text="1", request_id="a"), Synthesize(text="2", request_id="b", more=True))
    assert wire.ask(Close()) == [Flush(request_id="b"), Close()]
    assert wire.ask(Close()) == []
    refuses_to_send(wire.client, Synthesize(text="3"), "after close")
    error = remote(wire.server, '{"text":"3","request_id":"c"}')
    assert (error.code, error.request_id) == ("closing", "c")
    assert not wire.server.finished
    wire.answer(start("a"), complete("a"), start("b"), complete("b"))
    assert wire.server.finished
    assert wire.client.finished


def test_a_cancel_still_works_after_close(wire: Wire) -> None:
    wire.ask(Synthesize(text="1", request_id="a"), Close())
    assert wire.ask(Cancel()) == [Cancel()]
    wire.answer(cancelled("a"))
    assert wire.server.finished


def test_a_session_that_was_not_closed_is_not_finished() -> None:
    assert not Session("server").finished


@pytest.mark.parametrize(
    "frame",
    [Audio(b"ab"), words("a"), complete("a"), cancelled("b"), start("b"), complete("b")],
    ids=lambda f: type(f).__name__,
)
def test_neither_side_says_or_takes_anything_before_the_start(frame: Frame) -> None:
    wire = Wire()
    wire.ask(Synthesize(text="1", request_id="a"))
    refuses_to_send(wire.server, frame)
    payload = frame.data if isinstance(frame, Audio) else encode(frame)
    assert remote(wire.client, payload, binary=isinstance(payload, bytes)).code == (
        "unexpected_frame"
    )


@pytest.mark.parametrize("frame", [start("a"), words("b"), complete("b")])
def test_a_request_starts_once_and_speaks_for_itself(frame: Frame) -> None:
    wire = Wire()
    wire.ask(Synthesize(text="1", request_id="a"), Synthesize(text="2", request_id="b"))
    wire.answer(start("a"))
    refuses_to_send(wire.server, frame)
    assert remote(wire.client, encode(frame), binary=False).code == "unexpected_frame"


@pytest.mark.parametrize(
    "frame",
    [start("a"), Prompt(prompt="Hi"), Error(code="x", message="y")],
    ids=lambda f: type(f).__name__,
)
def test_a_client_sends_requests_only(frame: Frame) -> None:
    refuses_to_send(Session("client"), frame, "not a client's to send")


@pytest.mark.parametrize("frame", [Close(), Synthesize(text="1"), Prompt(prompt="Hi")])
def test_a_server_sends_answers_only(frame: Frame) -> None:
    refuses_to_send(Session("server"), frame, "not a server's to send")
    assert remote(Session("client"), encode(frame), binary=False).code == "unexpected_frame"


@pytest.mark.parametrize("size", [1, MAX_AUDIO_FRAME_BYTES + 2])
def test_a_server_sends_whole_samples_in_bounded_frames(size: int) -> None:
    wire = Wire()
    wire.ask(Synthesize(text="1", request_id="a"))
    wire.answer(start("a"))
    refuses_to_send(wire.server, Audio(bytes(size)), "whole samples")
    wire.answer(Audio(bytes(MAX_AUDIO_FRAME_BYTES)))


def test_a_frame_that_cannot_be_encoded_leaves_the_order_as_it_was(wire: Wire) -> None:
    refuses_to_send(wire.client, Synthesize(text="1", request_id="a", speed=9.0), "speed")
    wire.ask(Synthesize(text="1", request_id="a"))
    refuses_to_send(wire.server, SynthesisStart(request_id="a", sample_rate=0), "sample_rate")
    wire.answer(start("a"), complete("a"))


def speaking_client() -> Session:
    client = Session("client")
    client.send(Synthesize(text="1", request_id="a"))
    client.receive(encode(start("a")))
    return client


def test_an_envelope_that_says_binary_is_believed() -> None:
    control = encode(complete("a")).encode()
    assert speaking_client().receive(control + b" " * (len(control) % 2), binary=True)[0] == Audio(
        control + b" " * (len(control) % 2)
    )


def test_an_envelope_that_says_text_is_believed() -> None:
    assert remote(speaking_client(), b"\0\1", binary=False).code == "invalid_json"
    assert speaking_client().receive(encode(complete("a")).encode(), binary=False) == [
        complete("a")
    ]


@pytest.mark.parametrize(
    "chunk",
    [
        b"{}",
        b'{"text":"1"} ',
        b'{"type":"sing"}\n',
        b'[{"type":"close"}]',
        b'{"type":"error"} {"type":"error"}  ',
        b'{"type":7}',
        b'{"type":"error","x":"\xff"}',
        b"7 ",
        b"\x7b\x7d\x00\x00",
        b"{" * 5000 + b"}" * 5000,
    ],
)
def test_a_chunk_is_audio_unless_all_of_it_is_an_object_of_a_known_type(chunk: bytes) -> None:
    audio = chunk[: len(chunk) - len(chunk) % 2]
    assert speaking_client().receive(chunk) == [Audio(audio)]


@pytest.mark.parametrize("space", [b"", b" ", b"\r\n"])
def test_a_chunk_that_is_a_whole_object_of_a_known_type_is_control_data(space: bytes) -> None:
    client = speaking_client()
    assert client.receive(space + encode(complete("a")).encode() + space) == [complete("a")]


def test_a_known_frame_with_a_bad_field_is_an_error_and_not_audio() -> None:
    error = remote(speaking_client(), b'{"type":"synthesis_complete","request_id":"a"}')
    assert (error.code, error.request_id) == ("invalid_frame", "a")


def test_a_text_frame_of_a_newer_server_is_passed_over() -> None:
    client = speaking_client()
    assert client.receive('{"type":"visemes","request_id":"a"}', binary=False) == []
    assert client.receive('{"request_id":"a"}', binary=False) == []
    assert client.receive(encode(complete("a"))) == [complete("a")]


def test_an_odd_byte_is_carried_within_a_synthesis_and_dropped_at_its_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    client = speaking_client()
    client.send(Synthesize(text="2", request_id="b"))
    chunks = [client.receive(piece) for piece in (b"a", b"b", b"cde")]
    assert chunks == [[], [Audio(b"ab")], [Audio(b"cd")]]
    with caplog.at_level(logging.WARNING):
        client.receive(encode(complete("a")))
    assert "request_id=<a> | dropped an odd byte" in caplog.text
    client.receive(encode(start("b")))
    assert client.receive(b"xy") == [Audio(b"xy")]


def test_a_frame_larger_than_the_limit_is_refused() -> None:
    client = Session("client", max_message_bytes=100)
    assert remote(client, bytes(101)).code == "too_large"
    assert remote(client, "x" * 101).code == "too_large"


def test_a_connection_that_ends_early_fails_what_is_open(wire: Wire) -> None:
    client = speaking_client()
    client.send(Synthesize(text="2", request_id="b"))
    lost = client.end()
    assert [e.request_id for e in lost if isinstance(e, Error)] == ["a", "b"]
    assert {e.code for e in lost if isinstance(e, Error)} == {"connection_lost"}
    assert client.end() == []
    refuses_to_send(client, Cancel(), "has ended")


def test_a_clean_end_fails_nothing() -> None:
    client = speaking_client()
    client.receive(encode(complete("a")))
    assert client.end() == []
    server = Session("server")
    server.receive('{"text":"1"}')
    assert server.end() == []
