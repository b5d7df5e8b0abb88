"""Find a Chromium: `python -m tests.browser.chromium` says which, or how to get one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


class NoBrowser(RuntimeError):
    """No browser was found, and none could be had."""


def find() -> str:
    """The path of a Chromium.

    $CHROMIUM, else one on PATH, else Playwright's own, which is downloaded if need be.

    Raises:
        NoBrowser: with the three ways to get one.
    """
    named = os.environ.get("CHROMIUM")
    if named:
        if shutil.which(named):
            return named
        raise NoBrowser(f"CHROMIUM={named} is no program; name a Chromium's path, or leave it out.")
    for name in NAMES:
        if path := shutil.which(name):
            return path
    return _playwrights() or _download()


def _playwrights() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def _download() -> str:
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    path = _playwrights()
    if path is None:
        raise NoBrowser(
            "The browser tests need Chromium. Install chromium or chrome so that it is on PATH, "
            "or set CHROMIUM to its path; `playwright install chromium` was tried and failed."
        )
    return path


if __name__ == "__main__":
    try:
        find()
    except NoBrowser as error:
        raise SystemExit(str(error)) from None
