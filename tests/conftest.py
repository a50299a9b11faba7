"""How the property tests draw their examples.

`make test` draws the same ones every time, so that a change alone can break it;
`make fuzz` draws new ones at every run.
"""

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None, database=None)
settings.register_profile("search", deadline=None, print_blob=True)
settings.load_profile("same")
