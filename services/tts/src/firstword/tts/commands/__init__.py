"""The commands of ``python -m firstword.tts``. What is heavy is imported when a command runs."""
