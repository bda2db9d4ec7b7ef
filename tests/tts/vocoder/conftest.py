"""Kernels are compiled once for all tests, where the product keeps them too."""

import os

from firstword.tts.engines.vocoder.jit import keep_in
from firstword.tts.models import cache_dir

keep_in(cache_dir(os.environ) / "kernels")
