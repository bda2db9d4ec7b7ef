"""What a person touches: the ``firstword`` command and the page."""
