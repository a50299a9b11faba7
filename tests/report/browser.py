"""A real browser for tests, driven through a pipe by the DevTools protocol.

One Chromium serves all tests.  Commands are JSON, ended by a zero byte, on its
descriptor 3; answers and events come on its descriptor 4.  It needs no driver and no
open port.
"""

from __future__ import annotations

import base64
import fcntl
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

__all__ = ["Browser", "Page", "find_browser"]

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
PATIENCE = 30.0  # seconds for one answer


def find_browser():
    """Return the path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A headless Chromium; close it at the end."""

    def __init__(self, path):
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        commands, self.to_browser = os.pipe()
        self.from_browser, answers = os.pipe()

        def place():  # the browser reads on 3 and writes on 4
            a = fcntl.fcntl(commands, fcntl.F_DUPFD, 50)
            b = fcntl.fcntl(answers, fcntl.F_DUPFD, 50)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [path, *FLAGS, f"--user-data-dir={self.home.name}", "about:blank"],
            preexec_fn=place,
            pass_fds=(3, 4),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self.numbers = itertools.count(1)
        self.rest = b""
        self.events = []

    def call(self, method, session=None, **parameters):
        """Send a command; return its result, keep events that come before it."""
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            answer = self.receive(end - time.monotonic())
            if answer is None:
                continue
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)
        raise TimeoutError(method)

    def receive(self, seconds):
        """Return the next message, or None after so many seconds."""
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.from_browser], [], [], max(seconds, 0))
            if not ready:
                return None
            piece = os.read(self.from_browser, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has gone")
            self.rest += piece
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def open(self, path, *, width=1280, height=900, dark=False, media=""):
        """Return a page with a file in it."""
        return Page(self, path, width, height, dark, media)

    def close(self):
        """End the browser."""
        try:
            self.call("Browser.close")
            self.process.wait(5)
        except Exception:
            self.process.kill()
            self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)
        self.home.cleanup()


class Page:
    """A tab with a page: asked by JavaScript, it keeps what went wrong."""

    def __init__(self, browser, path, width, height, dark, media):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        attached = browser.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])
        self.size(width, height)
        script = (
            "window.__violations = [];"
            "addEventListener('securitypolicyviolation',"
            " (e) => window.__violations.push(e.violatedDirective + e.blockedURI));"
            "window.alert = () => window.__violations.push('alert');"
        )
        self.call("Page.addScriptToEvaluateOnNewDocument", source=script)
        self.call("Page.navigate", url=f"file://{path}")
        end = time.monotonic() + PATIENCE
        loaded = "document.readyState === 'complete' && location.protocol === 'file:'"
        while not self.ask(loaded) and time.monotonic() < end:
            time.sleep(0.02)

    def call(self, method, **parameters):
        """Send a command to this tab."""
        return self.browser.call(method, self.session, **parameters)

    def size(self, width, height):
        """Set the size of the window."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def ask(self, expression):
        """Return the value of an expression of JavaScript."""
        answer = self.call(
            "Runtime.evaluate",
            expression=expression,
            returnByValue=True,
            awaitPromise=True,
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def _events(self, *methods):
        self.ask("1")  # what has happened so far has arrived
        mine = (e for e in self.browser.events if e.get("sessionId") == self.session)
        return [e["params"] for e in mine if e["method"] in methods]

    def errors(self):
        """Return what went wrong: exceptions, console messages, policy violations."""
        said = self._events("Runtime.exceptionThrown", "Log.entryAdded")
        told = self._events("Runtime.consoleAPICalled")
        return [*said, *told, *self.ask("window.__violations")]

    def requests(self):
        """Return the addresses that were asked for, but the page's own."""
        asked = (e["request"]["url"] for e in self._events("Network.requestWillBeSent"))
        return [url for url in asked if not url.startswith(("file:", "data:"))]

    def picture(self, path, full=True):
        """Save a picture of the page."""
        answer = self.call("Page.captureScreenshot", captureBeyondViewport=full)
        _save(path, answer["data"])

    def print(self, path=None):
        """Return the page as PDF; save it where a path is given."""
        answer = self.call("Page.printToPDF", printBackground=True)
        if path:
            _save(path, answer["data"])
        return base64.b64decode(answer["data"])

    def close(self):
        """Close the tab."""
        self.browser.call("Target.closeTarget", targetId=self.target)


def _save(path, text):
    with open(path, "wb") as file:
        file.write(base64.b64decode(text))
