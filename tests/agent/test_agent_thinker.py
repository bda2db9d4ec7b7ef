"""Room 1: prompts in, text out, and what is remembered."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from firstword.agent.errors import ModelError
from firstword.agent.settings import ModelSettings
from firstword.agent.thinker import Thinker
from strands.types.exceptions import ContextWindowOverflowException, ModelThrottledException

from tests.agent.conftest import GatedModel, last_prompt, until, within

SETTINGS = ModelSettings(llm="openai", tools="off", first_text_s=5.0, stall_s=5.0)


def delta(**content: Any) -> dict[str, Any]:
    return {"contentBlockDelta": {"delta": content}}


async def answer(thinker: Thinker, prompt: str) -> str:
    pieces: list[str] = []
    await within(thinker.think(thinker.begin(prompt), pieces.append))
    return "".join(pieces)


def told(thinker: Thinker) -> list[tuple[str, str]]:
    return [
        (message["role"], " ".join(block["text"] for block in message["content"]))
        for message in thinker.history
    ]


async def test_text_comes_piece_by_piece_while_the_model_is_still_writing() -> None:
    gate = asyncio.Event()
    thinker = Thinker(GatedModel(lambda messages: ["Hello", gate, " there."]), SETTINGS)
    pieces: list[str] = []
    thinking = asyncio.create_task(thinker.think(thinker.begin("Hi"), pieces.append))
    await until(lambda: pieces == ["Hello"])
    assert not thinking.done()
    gate.set()
    await within(thinking)
    assert pieces == ["Hello", " there."]


async def test_the_model_is_told_the_conversation_so_far_after_the_examples() -> None:
    model = GatedModel(lambda messages: [f"You said {last_prompt(messages)}."])
    thinker = Thinker(model, SETTINGS)
    await answer(thinker, "one")
    await answer(thinker, "two")
    assert told(thinker) == [
        ("user", "one"),
        ("assistant", "You said one."),
        ("user", "two"),
        ("assistant", "You said two."),
    ]
    roles = [message["role"] for message in model.seen[1]]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
    assert (
        model.seen[1][-3:] == [*thinker.history[:2], thinker.history[2]]
        or last_prompt(model.seen[1]) == "two"
    )


async def test_reasoning_and_citations_are_not_text() -> None:
    steps = [
        delta(reasoningContent={"text": "Let me think."}),
        delta(text="Four"),
        delta(citation={"title": "a book"}),
        delta(text="."),
        {"contentBlockStop": {}},
        {"messageStop": {"stopReason": "end_turn"}},
    ]
    assert await answer(Thinker(GatedModel(lambda messages: steps), SETTINGS), "2+2") == "Four."


async def test_reaching_the_limit_of_tokens_is_an_end() -> None:
    steps = [
        delta(text="And so on"),
        {"contentBlockStop": {}},
        {"messageStop": {"stopReason": "max_tokens"}},
    ]
    thinker = Thinker(GatedModel(lambda messages: steps), SETTINGS)
    assert await answer(thinker, "Go on.") == "And so on"
    assert told(thinker) == [("user", "Go on."), ("assistant", "And so on")]


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (RuntimeError("secret of the server"), "model_failed"),
        (ContextWindowOverflowException("secret"), "prompt_too_long"),
        (RuntimeError("type: exceed_context_size_error"), "prompt_too_long"),
    ],
)
async def test_a_failure_has_a_code_and_a_safe_sentence(failure: Exception, code: str) -> None:
    thinker = Thinker(GatedModel(lambda messages: ["Well", failure]), SETTINGS)
    with pytest.raises(ModelError) as caught:
        await answer(thinker, "Hi")
    assert caught.value.code == code
    assert "secret" not in caught.value.message
    assert told(thinker) == [("user", "Hi")]


async def test_a_busy_model_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def no_sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr("strands.event_loop._retry.asyncio.sleep", no_sleep)
    model = GatedModel(lambda messages: [ModelThrottledException("slow down")])
    with pytest.raises(ModelError) as caught:
        await answer(Thinker(model, SETTINGS), "Hi")
    assert caught.value.code == "model_busy"
    assert len(model.seen) == 3
    assert all(seconds <= 4 for seconds in slept)


async def test_a_silent_model_is_given_up() -> None:
    never = asyncio.Event()
    quick = replace(SETTINGS, first_text_s=0.05, stall_s=0.05)
    model = GatedModel(lambda messages: [never])
    with pytest.raises(ModelError) as caught:
        await answer(Thinker(model, quick), "Hi")
    assert caught.value.code == "model_timeout"
    assert model.streams == ["left"]


async def test_a_conversation_larger_than_the_window_is_dropped_before_the_prompt_is() -> None:
    def reply(messages: list[Any]) -> list[Any]:
        known = [m for m in messages if m["content"][0]["text"] == "old"]
        return [RuntimeError("exceed_context_size_error")] if known else ["Yes."]

    thinker = Thinker(GatedModel(lambda messages: ["Old."]), SETTINGS)
    await answer(thinker, "old")
    thinker._agent.model = GatedModel(reply)
    assert await answer(thinker, "new") == "Yes."
    assert told(thinker) == [("user", "new"), ("assistant", "Yes.")]


async def test_the_oldest_exchanges_are_forgotten_whole() -> None:
    thinker = Thinker(
        GatedModel(lambda messages: ["x" * 300]), replace(SETTINGS, history_chars=900)
    )
    for number in range(5):
        await answer(thinker, f"prompt {number}")
    assert [text for role, text in told(thinker) if role == "user"] == ["prompt 3", "prompt 4"]


async def test_a_cancel_leaves_the_model_at_once_and_the_agent_usable() -> None:
    never = asyncio.Event()
    model = GatedModel(lambda messages: ["Hello", never])
    thinker = Thinker(model, SETTINGS)
    pieces: list[str] = []
    exchange = thinker.begin("Hi")
    thinking = asyncio.create_task(thinker.think(exchange, pieces.append))
    await until(lambda: pieces == ["Hello"])
    thinking.cancel()
    await until(thinking.done)
    assert model.streams == ["left"]
    thinker.remember(exchange, "Hel")
    model.answer = lambda messages: ["Yes."]
    assert await answer(thinker, "Still there?") == "Yes."
    assert told(thinker) == [
        ("user", "Hi"),
        ("assistant", "Hel"),
        ("user", "Still there?"),
        ("assistant", "Yes."),
    ]


async def test_a_prompt_that_was_not_answered_is_joined_to_the_next() -> None:
    model = GatedModel(lambda messages: ["In Paris it rains."])
    thinker = Thinker(model, SETTINGS)
    thinker.remember(thinker.begin("How is the weather?"), "")
    await answer(thinker, "In Paris, I mean.")
    assert told(thinker)[0] == ("user", "How is the weather? In Paris, I mean.")
    assert [message["role"] for message in thinker.history] == ["user", "assistant"]


async def test_a_small_model_is_spared_the_prompt_that_was_not_answered() -> None:
    small = replace(SETTINGS, join_unanswered=False)
    thinker = Thinker(GatedModel(lambda messages: ["It rains."]), small)
    thinker.remember(thinker.begin("Why do cats purr?"), "")
    await answer(thinker, "How is the weather?")
    assert told(thinker) == [("user", "How is the weather?"), ("assistant", "It rains.")]


async def test_only_the_latest_exchange_can_be_changed() -> None:
    thinker = Thinker(GatedModel(lambda messages: ["Yes."]), SETTINGS)
    first = thinker.begin("one")
    await within(thinker.think(first, lambda text: None))
    await answer(thinker, "two")
    thinker.remember(first, "changed")
    thinker.forget(first)
    assert told(thinker)[:2] == [("user", "one"), ("assistant", "Yes.")]


async def test_texts_before_and_after_a_tool_are_two_paragraphs() -> None:
    called = [
        {"contentBlockDelta": {"delta": {"text": "Let me see."}}},
        {"contentBlockStop": {}},
        {"contentBlockStart": {"start": {"toolUse": {"toolUseId": "t1", "name": "calculate"}}}},
        {"contentBlockDelta": {"delta": {"toolUse": {"input": '{"expression": "6*7"}'}}}},
        {"contentBlockStop": {}},
        {"messageStop": {"stopReason": "tool_use"}},
    ]
    results: list[str] = []

    def reply(messages: list[Any]) -> list[Any]:
        content = messages[-1]["content"][0]
        if "toolResult" in content:
            results.append(content["toolResult"]["content"][0]["text"])
            return ["It is 42."]
        return called

    model = GatedModel(reply)
    thinker = Thinker(model, replace(SETTINGS, tools="on"))
    assert await answer(thinker, "6 times 7?") == "Let me see.\n\nIt is 42."
    assert results == ["42"]
    assert "calculate" in model.tool_names
    assert len(thinker.history) == 4
