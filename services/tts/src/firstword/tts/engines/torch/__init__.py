"""Kokoro-82M in torch: many sessions' sentences, of any length, in one forward.

The order of the modules is that of the data: `weights` (from `recover` or the published file),
`text` and `prosody` (what is said when, at which pitch), `decoder` and `source` (features and the
harmonic wave), `generator` (audio); `model` has the three stages, `forwards` runs them in batches
on one device, `engine` is what the rest of the server sees.
"""
