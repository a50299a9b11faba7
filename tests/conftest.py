"""How the property tests draw their examples, and how Ctrl-C is heard.

`make test` draws the same ones every time, so that a change alone can break it;
`make fuzz` draws new ones at every run.

A run that a shell starts in the background is told to ignore Ctrl-C; the tests of
interrupts need it heard.
"""

import signal

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None, database=None)
settings.register_profile("search", deadline=None, print_blob=True)
settings.load_profile("same")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
