"""Room 4: one reply, from the prompt to its last event."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest
from firstword.agent.buffer import BufferClosed
from firstword.agent.conversations import Conversations
from firstword.agent.settings import Settings
from firstword.agent.turn import Turn
from firstword.protocol import (
    AgentEnd,
    AgentStart,
    Audio,
    AudioStreamEnd,
    Error,
    Prompt,
    SentenceEnd,
    SentenceStart,
    TextDelta,
    Words,
)

from tests.agent.conftest import (
    RATE,
    SAMPLES_PER_CHAR,
    FakeSpeech,
    GatedModel,
    Plan,
    Step,
    pcm,
    until,
    within,
)


class Stage:
    """Runs turns of one conversation and keeps what came out."""

    def __init__(
        self, answer: Callable[[list[Any]], Iterable[Step]], settings: Settings, make: Any
    ):
        self.model = GatedModel(answer)
        self.settings = settings
        self.conversations: Conversations = make(self.model)
        self.events: list[Any] = []

    def turn(self, prompt: str = "Go on.", **fields: Any) -> Turn:
        frame = Prompt(prompt=prompt, session_id="s", request_id="r", **fields)
        return Turn(frame, self.conversations, self.settings)

    async def play(self, turn: Turn, until_kind: type = AgentEnd) -> list[Any]:
        """Run a turn, or what is left of it, up to an event of a kind."""
        if turn._task is None and not turn._over:
            self.running = asyncio.create_task(turn.run())
        async with asyncio.timeout(10):
            while True:
                event = await turn.output.get()
                self.events.append(event)
                if isinstance(event, until_kind):
                    return self.events

    async def reply(self, **fields: Any) -> list[Any]:
        events = await self.play(self.turn(**fields))
        await within(self.running)
        return events

    @property
    def history(self) -> list[tuple[str, str]]:
        return [
            (message["role"], " ".join(block["text"] for block in message["content"]))
            for message in self.conversations._known["s"].thinker.history
        ]


@pytest.fixture
async def stage(settings: Settings, conversations_for: Any) -> Any:
    made: list[Stage] = []

    def make(*steps: Step, answer: Any = None, **turn: Any) -> Stage:
        chosen = replace(settings, turn=replace(settings.turn, **turn))
        made.append(Stage(answer or (lambda messages: steps), chosen, conversations_for))
        return made[-1]

    yield make
    for each in made:
        await within(each.conversations.close())


def kinds(events: list[Any]) -> list[str]:
    """The names of the events, runs of the same one only once."""
    names = [type(event).__name__ for event in events]
    return [name for i, name in enumerate(names) if i == 0 or names[i - 1] != name]


def audio_of(events: list[Any]) -> bytes:
    return b"".join(event.data for event in events if isinstance(event, Audio))


def text_of(events: list[Any]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def test_a_reply_has_its_events_in_order(stage: Any) -> None:
    events = await stage("One is here. ", "Two is there.").reply()
    assert isinstance(events[0], AgentStart)
    assert events[0].session_id == "s"
    assert text_of(events) == "One is here. Two is there."
    said = [e for e in events if not isinstance(e, TextDelta)]
    sentence = ["SentenceStart", "Words", "Audio", "SentenceEnd"]
    assert kinds(said) == [
        "AgentStart",
        "AudioStreamStart",
        *sentence,
        *sentence,
        "AudioStreamEnd",
        "AgentEnd",
    ]
    assert audio_of(events) == pcm("One is here.") + pcm("Two is there.")
    assert {e.request_id for e in events if not isinstance(e, Audio)} == {"r"}
    end = events[-1]
    assert (end.status, end.spoken) == ("complete", "One is here. Two is there.")


async def test_the_first_audio_comes_before_the_last_text(stage: Any) -> None:
    gate = asyncio.Event()
    on = stage("This is the first. ", "And", gate, " this the second.")
    turn = on.turn()
    await on.play(turn, Audio)
    assert text_of(on.events) == "This is the first. And"
    assert on.model.streams == ["open"]
    gate.set()
    await on.play(turn)
    assert text_of(on.events).endswith("this the second.")


async def test_batch_says_the_same_text_but_only_when_all_of_it_is_there(
    stage: Any, speech: FakeSpeech
) -> None:
    texts = ("Here is one. ", "Here is two. ", "Here is three.")
    bidi = await stage(*texts).reply()
    assert speech.texts == ["Here is one.", "Here is two.", "Here is three."]
    speech.requests.clear()
    batch = await stage(*texts).reply(mode="batch")
    assert speech.texts == ["Here is one. Here is two. Here is three."]
    assert text_of(batch) == text_of(bidi)
    assert batch[-1].spoken == bidi[-1].spoken
    last_text = max(i for i, e in enumerate(batch) if isinstance(e, TextDelta))
    first_audio = next(i for i, e in enumerate(batch) if isinstance(e, Audio))
    assert last_text < first_audio
    assert len([e for e in batch if isinstance(e, Audio)]) > 1
    request = speech.requests[0]
    assert (request.voice, request.speed) == ("af_heart", 1.0)


@pytest.mark.parametrize("mode", ["bidi", "batch"])
async def test_both_modes_take_the_same_parameters(
    stage: Any, speech: FakeSpeech, mode: str
) -> None:
    await stage("Hello there.").reply(mode=mode, voice="bf_emma", speed=1.25)
    (request,) = speech.requests
    assert (request.voice, request.speed, request.word_timestamps) == ("bf_emma", 1.25, True)


async def test_the_next_sentence_is_asked_for_before_this_one_ends_and_no_further(
    stage: Any, speech: FakeSpeech
) -> None:
    gate = asyncio.Event()
    speech.plan("Number one.", Plan(gates={3: gate}))
    on = stage("Number one. Number two. Number three. Number four. Number five.")
    turn = on.turn()
    await on.play(turn, Audio)
    await until(lambda: len(speech.requests) == 2)
    for _ in range(50):
        await asyncio.sleep(0)
    assert speech.texts == ["Number one.", "Number two."]
    gate.set()
    await on.play(turn)
    assert len(speech.requests) == 5
    assert speech.most_open == 2
    assert speech.connections == 1


async def test_the_connection_is_opened_while_the_model_still_thinks(
    stage: Any, speech: FakeSpeech
) -> None:
    gate = asyncio.Event()
    on = stage(gate, "Hello.")
    turn = on.turn()
    await on.play(turn, AgentStart)
    await until(lambda: speech.connections == 1)
    assert on.model.streams == ["open"]
    gate.set()
    await on.play(turn)


async def test_a_sentence_is_let_go_when_the_model_pauses(stage: Any, speech: FakeSpeech) -> None:
    gate = asyncio.Event()
    on = stage("I work for NASA.", gate, " Yes.", idle_release_s=0.02)
    turn = on.turn()
    await on.play(turn, SentenceEnd)
    assert speech.texts == ["I work for NASA."]
    gate.set()
    await on.play(turn)
    assert speech.texts == ["I work for NASA.", "Yes."]


async def test_words_stand_where_they_are_in_the_text_with_its_markup(stage: Any) -> None:
    events = await stage("This is **bold** text. It has *words* here.").reply()
    sentence = None
    found = []
    for event in events:
        if isinstance(event, SentenceStart):
            sentence = event
        if isinstance(event, Words):
            assert sentence is not None
            found += [sentence.text[w.text_start : w.text_end] for w in event.words]
    assert "bold" in found
    assert "words" in found
    reply = text_of(events)
    for event in events:
        if isinstance(event, SentenceStart):
            assert event.start is not None
            assert reply[event.start : event.end] == event.text


async def test_what_is_not_for_the_ear_is_shown_and_not_said(
    stage: Any, speech: FakeSpeech
) -> None:
    events = await stage("Run this now.\n\n```\nls -l\n```\n\nThen it stops.").reply()
    starts = [e for e in events if isinstance(e, SentenceStart)]
    assert any("ls -l" in e.text and e.spoken == "" for e in starts)
    assert not any("ls" in text.split() for text in speech.texts)
    assert [e.seq for e in starts] == list(range(len(starts)))
    assert events[-1].status == "complete"


async def test_timings_are_told_in_order(stage: Any) -> None:
    events = await stage("One is here. Two is there.").reply()
    timings = events[-1].timings
    order = ["first_text_ms", "first_sentence_ms", "first_audio_ms", "end_ms"]
    values = [timings[name] for name in order]
    assert values == sorted(values)
    assert timings["audio_s"] == pytest.approx(len(audio_of(events)) / 2 / RATE, abs=0.001)
    end = next(e for e in events if isinstance(e, AudioStreamEnd))
    assert end.total_chunks == len([e for e in events if isinstance(e, Audio)])
    assert end.duration_s == pytest.approx(timings["audio_s"], abs=0.001)


async def test_audio_comes_in_small_frames_of_whole_samples(stage: Any) -> None:
    events = await stage("A rather long sentence, " * 12 + "ends here.").reply()
    sizes = [len(e.data) for e in events if isinstance(e, Audio)]
    assert max(sizes) <= 16 * 1024
    assert not any(size % 2 for size in sizes)


async def test_a_cancel_before_the_first_audio_leaves_nothing_but_the_end(
    stage: Any, speech: FakeSpeech
) -> None:
    speech.plan("Hello there.", Plan(gates={0: asyncio.Event()}))
    on = stage("Hello there. ", "And more", asyncio.Event())
    turn = on.turn()
    await on.play(turn, SentenceStart)
    seen = len(on.events)
    turn.stop()
    await on.play(turn)
    await within(on.running)
    assert [type(e) for e in on.events[seen:]] == [AgentEnd]
    assert (on.events[-1].status, on.events[-1].spoken) == ("cancelled", "")
    assert on.history == [("user", "Go on.")]
    assert on.model.streams == ["left"]
    await until(lambda: len(speech.cancelled) == 1)


async def test_a_cancel_in_mid_sentence_keeps_the_words_that_were_heard(
    stage: Any, speech: FakeSpeech
) -> None:
    text = "Alpha beta gamma delta epsilon zeta."
    speech.plan(text, Plan(gates={3: asyncio.Event()}))
    on = stage(text, " More", asyncio.Event())
    turn = on.turn()
    await on.play(turn, Audio)
    # Words end at 20 ms a character: "Alpha beta gamma" has been said after 0.32 s.
    heard_s = len("Alpha beta gamma ") * SAMPLES_PER_CHAR / RATE
    while len(audio_of(on.events)) / 2 / RATE < heard_s:
        await on.play(turn, Audio)
    turn.stop(heard_s=heard_s)
    await on.play(turn)
    assert on.events[-1].spoken == "Alpha beta gamma"
    assert on.history == [("user", "Go on."), ("assistant", "Alpha beta gamma")]


async def test_no_more_is_kept_than_was_sent_whatever_a_client_says(stage: Any) -> None:
    on = stage("Alpha beta. ", asyncio.Event())
    turn = on.turn()
    await on.play(turn, SentenceEnd)
    turn.stop(heard_s=1e6)
    await on.play(turn)
    assert on.history[-1] == ("assistant", "Alpha beta.")


@pytest.mark.parametrize(("since_s", "kept"), [(0.0, ""), (0.12, "Alpha"), (60.0, "Alpha beta.")])
async def test_without_a_players_word_no_more_counts_than_time_has_passed(
    stage: Any, since_s: float, kept: str
) -> None:
    on = stage("Alpha beta. ", asyncio.Event())
    turn = on.turn()
    await on.play(turn, SentenceEnd)
    turn.output.first_audio_at = asyncio.get_running_loop().time() - since_s
    turn.stop()
    await on.play(turn)
    assert on.events[-1].spoken == kept


async def test_a_cancel_after_the_end_changes_what_is_kept(stage: Any) -> None:
    on = stage("Alpha beta. Gamma delta.")
    turn = on.turn()
    await on.play(turn)
    assert on.history[-1] == ("assistant", "Alpha beta. Gamma delta.")
    end = turn.amend(heard_s=len("Alpha beta.") * SAMPLES_PER_CHAR / RATE)
    assert (end.status, end.spoken) == ("cancelled", "Alpha beta.")
    assert on.history[-1] == ("assistant", "Alpha beta.")


async def test_a_cancel_while_the_last_events_wait_for_the_client_is_still_a_cancel(
    stage: Any,
) -> None:
    on = stage("Alpha beta.")
    turn = on.turn()
    await within(turn.run())
    turn.stop()
    event = await within(turn.output.get())
    assert isinstance(event, AgentEnd)
    assert event.status == "cancelled"
    assert on.history == [("user", "Go on.")]
    with pytest.raises(BufferClosed):
        await turn.output.get()


async def test_a_turn_that_is_stopped_before_it_runs_only_ends(stage: Any) -> None:
    on = stage("Never.")
    turn = on.turn()
    turn.stop()
    await within(turn.run())
    assert isinstance(await within(turn.output.get()), AgentEnd)
    assert on.model.seen == []


async def test_a_model_that_fails_in_the_middle_is_heard_out(
    stage: Any, speech: FakeSpeech
) -> None:
    on = stage("One is here. Two is", RuntimeError("key sk-123 rejected"))
    events = await on.reply()
    assert speech.texts == ["One is here.", "Two is"]
    assert audio_of(events) == pcm("One is here.") + pcm("Two is")
    assert [type(e) for e in events[-3:]] == [AudioStreamEnd, Error, AgentEnd]
    assert events[-2].code == "model_failed"
    assert "sk-123" not in repr(events)
    assert events[-1].status == "failed"
    assert on.history == [("user", "Go on."), ("assistant", "One is here. Two is")]


async def test_a_model_that_fails_at_once_leaves_no_trace_in_the_conversation(stage: Any) -> None:
    on = stage(RuntimeError("no"))
    events = await on.reply()
    assert [type(e) for e in events] == [AgentStart, Error, AgentEnd]
    assert on.history == []


async def test_a_model_that_never_ends_is_stopped(stage: Any) -> None:
    on = stage(*(["word "] * 500), max_reply_chars=1000)
    events = await on.reply()
    assert [e.code for e in events if isinstance(e, Error)] == ["reply_too_long"]
    assert len(text_of(events)) == 1000
    await until(lambda: on.model.streams == ["left"])


async def test_a_sentence_that_cannot_be_said_is_told_in_its_place_and_the_rest_goes_on(
    stage: Any, speech: FakeSpeech
) -> None:
    speech.plan("Two is bad.", Plan(error=("synthesis_failed", "It did not work.")))
    events = await stage("One is here. Two is bad. Three is there.").reply()
    assert audio_of(events) == pcm("One is here.") + pcm("Three is there.")
    where = next(i for i, e in enumerate(events) if isinstance(e, Error))
    assert events[where].code == "synthesis_failed"
    assert isinstance(events[where - 1], SentenceStart)
    assert events[where - 1].text == "Two is bad."
    assert events[where + 1] == SentenceEnd(request_id="r", seq=1, samples=0)
    assert events[-1].status == "failed"
    assert events[-1].spoken == "One is here. Two is bad. Three is there."


async def test_after_two_failures_in_a_row_the_rest_is_only_shown(
    stage: Any, speech: FakeSpeech
) -> None:
    texts = [f"Number {n} here." for n in range(6)]
    for text in texts:
        speech.plan(text, Plan(error=("unknown_voice", "There is no such voice.")))
    events = await stage(" ".join(texts)).reply()
    assert len([e for e in events if isinstance(e, Error)]) in (2, 3)
    assert len(speech.requests) <= 3
    assert [e.text for e in events if isinstance(e, SentenceStart)] == texts
    assert not audio_of(events)


async def test_without_a_speech_service_the_text_still_comes(
    stage: Any, speech: FakeSpeech
) -> None:
    speech.refuse = True
    on = stage("One is here. Two is there.")
    events = await on.reply()
    assert text_of(events) == "One is here. Two is there."
    assert [e.code for e in events if isinstance(e, Error)] == ["speech_unavailable"]
    assert events[-1].status == "failed"
    assert on.history[-1] == ("assistant", "One is here. Two is there.")
    speech.refuse = False
    on.events.clear()
    again = await on.reply()
    assert again[-1].status == "complete"


async def test_a_connection_that_breaks_in_mid_sentence_is_not_heard(
    stage: Any, speech: FakeSpeech
) -> None:
    speech.plan("Number one is long enough.", Plan(die_before=2))
    events = await stage("Number one is long enough. Number two.").reply()
    assert audio_of(events) == pcm("Number one is long enough.") + pcm("Number two.")
    assert events[-1].status == "complete"
    assert speech.connections == 2


async def test_a_slow_client_holds_the_speech_back_in_bounded_memory(
    stage: Any, speech: FakeSpeech
) -> None:
    text = "This sentence goes on for a good while. " * 600  # 22 MB of audio.
    on = stage(text, buffer_bytes=64 * 1024)
    turn = on.turn()
    await on.play(turn, Audio)
    most = 0
    for _ in range(200):
        await asyncio.sleep(0)
        most = max(most, turn.output._events.held_bytes)
    assert 0 < most <= 64 * 1024 + 16 * 1024
    assert len(speech.finished) < 300
    await on.play(turn)
    assert audio_of(on.events) == 600 * pcm("This sentence goes on for a good while.")


async def test_an_error_of_our_own_is_told_without_its_text(
    stage: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any) -> None:
        raise RuntimeError("private thing")

    monkeypatch.setattr("firstword.agent.speaking.SpanMap", broken)
    events = await stage("Hello there.").reply()
    assert events[-2].code == "internal"
    assert "private" not in repr(events)
    assert events[-1].status == "failed"


async def test_a_second_prompt_of_a_busy_conversation_waits_or_is_refused(stage: Any) -> None:
    gate = asyncio.Event()
    on = stage("Hello.", gate)
    on.conversations._settings = replace(on.conversations._settings, turn_wait_s=0.05)
    first = on.turn()
    await on.play(first, SentenceStart)
    second = Stage.turn(on, "Me too?")
    other = asyncio.create_task(second.run())
    refused: list[Any] = [await within(second.output.get()) for _ in range(3)]
    assert [type(e) for e in refused] == [AgentStart, Error, AgentEnd]
    assert refused[1].code == "conversation_busy"
    await within(other)
    gate.set()
    await on.play(first)
    assert on.events[-1].status == "complete"
    assert [role for role, _ in on.history] == ["user", "assistant"]


async def test_ten_conversations_at_once_do_not_hear_each_other(
    settings: Settings, conversations_for: Any, speech: FakeSpeech
) -> None:
    def answer(messages: list[Any]) -> list[Step]:
        number = messages[-1]["content"][0]["text"].split()[-1]
        return [f"Number {number} speaks. ", f"It has only {number} to say."]

    model = GatedModel(answer)
    conversations = conversations_for(model)

    async def talk(number: int) -> list[Any]:
        events: list[Any] = []
        for turn_number in range(2):
            prompt = Prompt(prompt=f"You are {number}", session_id=f"s{number}", request_id="r")
            turn = Turn(prompt, conversations, settings)
            running = asyncio.create_task(turn.run())
            events.append(turn_number)
            while True:
                try:
                    events.append(await within(turn.output.get()))
                except BufferClosed:
                    break
            await running
        return events

    everyone = await asyncio.gather(*(talk(number) for number in range(10)))
    for number, events in enumerate(everyone):
        said = pcm(f"Number {number} speaks.") + pcm(f"It has only {number} to say.")
        assert audio_of(events) == said + said
        history = conversations._known[f"s{number}"].thinker.history
        assert len(history) == 4
        assert all(str(number) in message["content"][0]["text"] for message in history)
    assert speech.connections == 10
    await within(conversations.close())
    await until(lambda: speech.live == 0)
