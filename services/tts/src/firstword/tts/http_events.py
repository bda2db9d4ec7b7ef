"""One request's frames by HTTP: the speech wire's own, as server-sent events.

For callers that cannot hold a WebSocket. Unlike bare audio it says which engine speaks, has the
words, and has an end that can be told from a stream that was cut off.
"""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Callable

from firstword.protocol import (
    AudioChunk,
    SynthesisComplete,
    SynthesisStart,
    Words,
    audio_frames,
    duration_s,
    samples_in,
    sse,
)
from firstword.tts.ask import Ask
from firstword.tts.reply import Frames
from firstword.tts.synthesis import Speech

MEDIA_TYPE = "text/event-stream"


def speech_events(start: SynthesisStart, ask: Ask, clock: Callable[[], float]) -> Frames:
    """``start`` before the first piece, then words and audio, then how much it was."""
    arrived = clock()

    async def frames(pieces: AsyncIterator[Speech]) -> AsyncIterator[bytes]:
        chunks = samples = 0
        head = sse(start)
        async for piece in pieces:
            # Not before there is something to say: until then a failure can have a status.
            said, head = [head] if head else [], b""
            if piece.words:
                said.append(sse(Words(request_id=ask.request_id, words=piece.words)))
            for data in audio_frames(piece.data):
                encoded = base64.b64encode(data).decode("ascii")
                said.append(sse(AudioChunk(request_id=ask.request_id, seq=chunks, data=encoded)))
                chunks += 1
                samples += samples_in(len(data))
            yield b"".join(said)
        yield head + sse(
            SynthesisComplete(
                request_id=ask.request_id,
                total_duration_s=round(duration_s(samples, ask.sample_rate), 4),
                elapsed_s=round(clock() - arrived, 4),
                samples=samples,
            )
        )

    return frames
