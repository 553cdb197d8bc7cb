"""A page in headless Chromium, driven by selenium."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from helpers.required import skip_or_fail


def need() -> None:
    """Skip the test if there is no browser, or fail it if one is required."""
    missing = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    try:
        import selenium  # noqa: F401
    except ImportError:
        missing.append("selenium")
    if missing:
        skip_or_fail("browser", f"no {' and no '.join(missing)}")


@contextmanager
def browser(width: int = 1200, height: int = 900, script: bool = True) -> Iterator[Any]:
    """Yield a driver with a window of so many pixels that records the page's network requests."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    with tempfile.TemporaryDirectory() as profile:
        for word in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "hide-scrollbars",
                     f"user-data-dir={profile}"):  # fmt: skip
            options.add_argument(f"--{word}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        if not script:
            options.add_experimental_option(
                "prefs", {"profile.managed_default_content_settings.javascript": 2}
            )
        driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        try:
            resize(driver, width, height)
            yield driver
        finally:
            driver.quit()


def resize(driver: Any, width: int, height: int) -> None:
    """Resize the page to so many pixels, which may be fewer than a window allows."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def media(driver: Any, kind: str = "", dark: bool = False) -> None:
    """Show the page on a ``kind`` of medium, such as print, in light or ``dark`` colours."""
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": kind, "features": [scheme]})


def show(driver: Any, path: Path) -> None:
    """Open a file, and discard the messages and requests recorded before."""
    for name in ("browser", "performance"):
        driver.get_log(name)
    driver.get(path.as_uri())


def complaints(driver: Any) -> list[str]:
    """Return the messages on the browser's console."""
    return [entry["message"] for entry in driver.get_log("browser")]


def requests(driver: Any) -> list[str]:
    """Return the addresses that the page has requested, except its own.

    The browser's own first page, which may still be loading after `show`, does not count.
    """
    here = driver.current_url.partition("#")[0]
    messages = (json.loads(entry["message"])["message"] for entry in driver.get_log("performance"))
    asked = [
        message["params"]["request"]["url"].partition("#")[0]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
        and message["params"]["documentURL"].partition("#")[0] == here
    ]
    return [url for url in asked if url != here]


def press(driver: Any, *keys: str) -> None:
    """Press ``keys`` one after the other: letters, or names such as ``ARROW_RIGHT``."""
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    for key in keys:
        ActionChains(driver).send_keys(getattr(Keys, key, key)).perform()
