"""The engine on Kokoro's own weights, against ONNX Runtime on the same."""

import os
from pathlib import Path

import numpy as np
import pytest
from firstword.tts.engines import MAX_PHONEMES, SpokenWord, Utterance, graphs, tensors
from firstword.tts.engines.acoustic import OnnxAcoustic
from firstword.tts.engines.averages import key, shipped
from firstword.tts.engines.choice import snr_db
from firstword.tts.engines.cpu import WHOLE_FRAMES, CpuEngine, Parts
from firstword.tts.engines.front import FRAME_SAMPLES, VOICE, Front, tokens_of
from firstword.tts.engines.runtime import onnx_runtime
from firstword.tts.models import ModelFiles, cache_dir, model_dir
from firstword.tts.models.pins import GRAPH

pytestmark = pytest.mark.model

SENTENCE = "ðə mjuzˈiəm ˈOpənz æt nˈIn, ænd klˈOzɪz æt sˈɪks."
SHORT = "jˈɛs, ðæt sˈWndz ɹˈIt tə mˌi, lˈɛt ʌs ɡˌO."
THREADS = 2


@pytest.fixture(scope="module")
def files():
    return ModelFiles.open(model_dir(os.environ))


@pytest.fixture(scope="module")
def parts(files, tmp_path_factory):
    """The engine's files, made as `models fetch` makes them."""
    folder = tmp_path_factory.mktemp("parts")
    given = {GRAPH: files.path(GRAPH)}
    made = {}
    for name, build in [
        (tensors.FRONT, graphs.build_front),
        (tensors.VOCODER, graphs.build_vocoder),
        (tensors.ACOUSTIC, graphs.build_acoustic),
    ]:
        made[name] = folder / name
        build(given, made[name])
    return Parts(**made, identity="test", cache=cache_dir(os.environ))


@pytest.fixture(scope="module")
def engine(parts):
    engine = CpuEngine(parts, THREADS)
    engine.warm_up()
    return engine


@pytest.fixture(scope="module")
def vocoder(engine):
    return engine._load()


@pytest.fixture(scope="module")
def front(parts):
    return Front(parts.front, THREADS)


@pytest.fixture(scope="module")
def acoustic(parts):
    return OnnxAcoustic(parts.acoustic, THREADS)


@pytest.fixture(scope="module")
def style(files):
    def read(name):
        return np.fromfile(files.folder / "voices" / f"{name}.bin", np.float32).reshape(-1, 256)

    return read


def words_of(phonemes):
    """One word for each stretch between spaces."""
    words, at = [], 0
    for number, text in enumerate(phonemes.split(" ")):
        words.append(SpokenWord(text, number, number + 1, at, at + len(text)))
        at += len(text) + 1
    return tuple(words)


def utterance(phonemes):
    return Utterance(phonemes, words_of(phonemes))


def spoken(engine, said, style, quality, speed=1.0):
    return list(engine.synthesize(said, style, speed, quality))


def joined(blocks):
    return np.concatenate([block.samples for block in blocks])


@pytest.mark.parametrize(
    ("voice", "phonemes", "speed"),
    [
        ("af_heart", "a", 1.0),
        ("am_adam", "a", 2.0),
        ("af_heart", SHORT, 0.5),
        ("bf_emma", SENTENCE, 2.0),
        ("am_michael", SENTENCE * 4, 1.0),
    ],
    ids=["one phoneme", "one phoneme fast", "slow", "fast", "four sentences"],
)
def test_the_vocoder_is_within_85_db_of_onnx_runtime(
    vocoder, front, acoustic, style, voice, phonemes, speed
):
    tokens = tokens_of(phonemes)
    row = style(voice)[len(tokens) - 1]
    prosody = front(tokens, row, speed)
    right = acoustic(prosody, row)
    audio = vocoder.generator(right.features, right.harmonics, row[VOICE])
    assert snr_db(right.samples, audio.samples) >= 85
    ready = vocoder.prepare(prosody.text, prosody.pitch, prosody.energy, row[VOICE])
    assert snr_db(right.features, ready.features) >= 100
    wave = vocoder.source(ready.phases, 0, ready.phases.samples)
    assert np.max(np.abs(wave - right.wave)) < 1e-6


@pytest.mark.parametrize("voice", ["am_michael", "bf_emma"])
def test_the_longest_utterance_is_within_85_db_too(vocoder, front, acoustic, style, voice):
    tokens = tokens_of((SENTENCE * 11)[:MAX_PHONEMES])
    row = style(voice)[len(tokens) - 1]
    right = acoustic(front(tokens, row, 1.0), row)
    audio = vocoder.generator(right.features, right.harmonics, row[VOICE])
    assert snr_db(right.samples, audio.samples) >= 85


def test_every_english_voice_is_within_85_db_and_in_the_table(
    vocoder, front, acoustic, style, files
):
    table, tokens, found = shipped(), tokens_of(SHORT), {}
    for path in sorted((files.folder / "voices").glob("[ab]*.bin")):
        whole = style(path.stem)
        assert key(whole) in table, path.stem
        row = whole[len(tokens) - 1]
        right = acoustic(front(tokens, row, 1.3), row)
        audio = vocoder.generator(right.features, right.harmonics, row[VOICE])
        found[path.stem] = snr_db(right.samples, audio.samples)
    assert len(found) == 28
    assert min(found.values()) >= 85, found


def test_exact_is_the_graphs_audio_with_another_rounding_of_silence(engine, front, acoustic, style):
    voice = style("af_heart")
    blocks = spoken(engine, utterance(SENTENCE), voice, "exact")
    tokens = tokens_of(SENTENCE)
    row = voice[len(tokens) - 1]
    right = acoustic(front(tokens, row, 1.0), row).samples
    samples = joined(blocks)
    assert samples.shape == right.shape
    assert snr_db(right, samples) > 20
    assert np.sqrt(np.mean(samples**2)) == pytest.approx(np.sqrt(np.mean(right**2)), rel=0.01)


def test_the_first_audio_is_a_short_window(engine, style):
    blocks = spoken(engine, utterance(SENTENCE), style("af_heart"), "fast")
    first = next(block for block in blocks if block.samples.size)
    voiced = np.flatnonzero(first.samples)
    assert 0.2 < (len(first.samples) - voiced[0]) / 24_000 <= 0.3


def test_a_slow_greeting_which_is_mostly_silence_is_rendered_whole(engine, style):
    fast, exact = (
        joined(spoken(engine, utterance("hˈI."), style("bm_george"), quality, 0.5))
        for quality in ("fast", "exact")
    )
    assert len(exact) > WHOLE_FRAMES * FRAME_SAMPLES
    assert np.array_equal(fast, exact)


@pytest.mark.parametrize("quality", ["fast", "exact"])
def test_a_long_sentence_can_be_interrupted_often(engine, style, quality):
    blocks = spoken(engine, utterance(SENTENCE), style("af_heart"), quality)
    assert sum(not block.samples.size for block in blocks) >= 6


@pytest.mark.parametrize("quality", ["fast", "exact"])
@pytest.mark.parametrize("speed", [0.5, 1.0, 2.0])
def test_the_same_arguments_give_the_same_samples(engine, style, quality, speed):
    runs = [
        joined(spoken(engine, utterance(SHORT), style("bf_emma"), quality, speed)) for _ in range(2)
    ]
    assert np.array_equal(*runs)


def test_fast_says_the_same_words_at_the_same_times_as_exact(engine, style):
    said = utterance(SENTENCE)
    fast, exact = (spoken(engine, said, style("am_michael"), q) for q in ("fast", "exact"))
    timed = [word for block in fast for word in block.words]
    assert timed == [word for block in exact for word in block.words]
    assert [word.text for word in timed] == [word.text for word in said.words]
    assert all(word.start_s < word.end_s for word in timed)
    heard = 0
    for block in fast:
        assert all(word.start_s * 24_000 < heard + len(block.samples) + 1 for word in block.words)
        heard += len(block.samples)
    assert heard % FRAME_SAMPLES == 0
    loudness = [np.sqrt(np.mean(joined(blocks)[:heard] ** 2)) for blocks in (fast, exact)]
    assert loudness[0] == pytest.approx(loudness[1], rel=0.2)


@pytest.mark.parametrize("voice", ["af_heart", "am_onyx", "bf_lily"])
def test_joins_step_no_further_than_the_audio_does(engine, style, voice):
    blocks = spoken(engine, utterance(SENTENCE), style(voice), "fast")
    blocks = [block for block in blocks if block.samples.size]
    samples = joined(blocks)
    joins = np.cumsum([len(block.samples) for block in blocks])[1:-1]
    steps = np.abs(np.diff(samples))
    assert len(joins) >= 2
    assert max(steps[join - 1] for join in joins) <= steps.max()
    around = [steps[max(0, join - 1200) : join + 1200].max() for join in joins]
    assert all(steps[join - 1] <= near for join, near in zip(joins, around, strict=True))


def test_a_voice_that_is_not_in_the_table_is_measured_once(engine, style, tmp_path, parts):
    blend = (style("af_bella") * np.float32(0.6) + style("af_sky") * np.float32(0.4)).copy()
    fresh = CpuEngine(
        Parts(parts.front, parts.vocoder, parts.acoustic, tmp_path.name, parts.cache), THREADS
    )
    first = joined(spoken(fresh, utterance(SHORT), blend, "fast"))
    kept = parts.cache / "averages" / tmp_path.name / f"{key(blend)}.npy"
    assert kept.is_file()
    kept.unlink()
    kept.parent.rmdir()
    assert np.array_equal(joined(spoken(fresh, utterance(SHORT), blend, "fast")), first)


@pytest.mark.parametrize("phonemes", ["hˈI.", "nˈO.", "hˈI ðˈɛɹ."])
def test_a_greeting_is_as_loud_in_fast_as_in_exact(engine, style, phonemes):
    fast, exact = (
        joined(spoken(engine, utterance(phonemes), style("af_heart"), quality))
        for quality in ("fast", "exact")
    )
    assert np.array_equal(fast, exact)
    assert np.abs(fast).max() > 0.1


def test_onnx_runtime_is_told_not_to_report_its_use(monkeypatch):
    monkeypatch.delenv("ORT_DISABLE_TELEMETRY", raising=False)
    onnx_runtime()
    assert os.environ["ORT_DISABLE_TELEMETRY"] == "1"


def test_the_engine_says_which_vocoder_runs_and_why(engine):
    assert engine.choice.reason
    assert engine.choice.vocoder in engine.version


def test_a_second_start_takes_the_first_ones_choice(parts, engine, monkeypatch):
    monkeypatch.setattr("firstword.tts.engines.cpu.choose", None)
    again = CpuEngine(parts, THREADS)
    assert (again.choice, again.version) == (engine.choice, engine.version)


def test_without_kernels_onnx_runtime_says_the_same(parts, engine, style, monkeypatch):
    def missing(self):
        raise ImportError("no compiler")

    monkeypatch.setattr(CpuEngine, "_load", missing)
    plain = CpuEngine(
        Parts(parts.front, parts.vocoder, parts.acoustic, "nothing kept", parts.cache), THREADS
    )
    assert plain.choice.vocoder == "onnxruntime"
    assert plain.version != engine.version
    (block,) = spoken(plain, utterance(SHORT), style("af_heart"), "fast")
    exact = joined(spoken(engine, utterance(SHORT), style("af_heart"), "exact"))
    assert snr_db(block.samples, exact) > 15
    with pytest.raises(RuntimeError, match="ImportError"):
        next(plain.measure(SHORT, style("af_heart")))


@pytest.mark.parametrize("phonemes", ["", "a" * (MAX_PHONEMES + 1), "€"])
def test_what_cannot_be_spoken_is_refused(engine, style, phonemes):
    with pytest.raises(ValueError, match="phoneme"):
        spoken(engine, Utterance(phonemes, ()), style("af_heart"), "exact")


def test_an_engine_of_a_folder_without_its_files_says_what_to_do(files, tmp_path):
    from firstword.tts.models import ModelsMissingError
    from firstword.tts.models.manifest import Manifest

    graph = Manifest(tuple(e for e in files.manifest.entries if e.name == GRAPH))
    with pytest.raises(ModelsMissingError, match="models fetch"):
        CpuEngine.open(ModelFiles(files.folder, graph), Path(tmp_path))
