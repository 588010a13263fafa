"""The documentation site as it was built: its links, its reference, and its pages in a browser at two widths."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from functools import cache, partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pairbond
import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "target" / "site"
SHOTS = ROOT / "target" / "docs-screenshots"
PAGES = sorted(path for path in SITE.rglob("*.html") if "rust" not in path.relative_to(SITE).parts)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
WIDTHS = {"wide": (1280, 900), "narrow": (390, 844)}
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


def name(path: Path) -> str:
    return str(path.relative_to(SITE))


class Page(HTMLParser):
    """The links, anchors and resources of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {key: value or "" for key, value in attributes}
        self.ids |= {found[key] for key in ("id", "name") if key in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag in LOADED and found.get(LOADED[tag]) and found.get("rel") not in ("canonical", "edit", "next", "prev"):
            self.loaded.append(found[LOADED[tag]])


@cache
def parsed(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def test_there_is_a_page_for_each_source() -> None:
    sources = {path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")}
    assert {path.relative_to(SITE) for path in PAGES} - {Path("404.html")} == sources


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_links(path: Path) -> None:
    if path.name == "404.html":
        pytest.skip("its links begin at the root of a server")
    page = parsed(path)
    for link in page.links + page.loaded:
        parts = urlsplit(link)
        if parts.scheme in ("http", "https", "mailto"):
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        target = target / "index.html" if target.is_dir() else target
        assert target.exists(), f"{link} leads nowhere"
        if parts.fragment and target.suffix == ".html" and target in PAGES:
            assert unquote(parts.fragment) in parsed(target).ids, f"{link} has no such anchor"


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_nothing_is_loaded_from_elsewhere(path: Path) -> None:
    assert [url for url in parsed(path).loaded if urlsplit(url).scheme or url.startswith("//")] == []


def test_the_reference_is_complete() -> None:
    ids = parsed(SITE / "reference" / "python.html").ids
    elsewhere = {"KW_ONLY", "InitVar"}  # of the module dataclasses
    assert {it for it in pairbond.__all__ if f"pairbond.{it}" not in ids} == elsewhere
    # What is native has its texts from the compiled module.
    assert "Native objects alive now, by type key" in (SITE / "reference" / "python.html").read_text(encoding="utf-8")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The site on a server of this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SITE)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as started:
        # Its sandbox needs a user of its own.
        arguments = ["--no-sandbox"] if os.getuid() == 0 else []
        found = started.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield found
        found.close()


def opened(browser, address: str, path: Path, width: str, scheme: str = "light"):
    """A page in the browser, what it asked for from elsewhere, and what its scripts complained about."""
    here = (address, "data:", "blob:")
    size = dict(zip(("width", "height"), WIDTHS[width], strict=True))
    page = browser.new_page(viewport=size, color_scheme=scheme)
    requests, complaints = [], []
    page.on("request", lambda it: None if it.url.startswith(here) else requests.append(it.url))
    page.on("pageerror", lambda it: complaints.append(str(it)))
    page.goto(address + name(path))
    page.wait_for_load_state("load")
    return page, requests, complaints


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("path", [path for path in PAGES if path.name != "404.html"], ids=name)
def test_renders(browser, address, path: Path, width: str) -> None:
    page, requests, complaints = opened(browser, address, path, width)
    try:
        assert page.locator("h1").first.is_visible()
        assert (
            page.evaluate("[...document.images].filter(it => !it.complete || !it.naturalWidth).map(it => it.src)") == []
        )
        wider = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wider <= 0, f"the page is {wider} px wider than the window"
        # Text that is cut off at the edge of the article.
        cut = page.evaluate(
            "[...document.querySelectorAll('article p, article li, article h1, article h2, article h3')]"
            ".filter(it => it.getBoundingClientRect().right > window.innerWidth + 1)"
            ".filter(it => !it.closest('table, pre, .highlight'))"
            ".map(it => it.textContent.slice(0, 60))"
        )
        assert cut == []
        shot = SHOTS / width / path.relative_to(SITE).with_suffix(".png")
        shot.parent.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=shot, full_page=True)
        # A page without anything on it is a few kilobytes.
        assert shot.stat().st_size > 12_000
        assert (requests, complaints) == ([], [])
    finally:
        page.close()


def test_dark_mode(browser, address) -> None:
    page, _, _ = opened(browser, address, SITE / "index.html", "wide", "dark")
    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(map(int, background.removeprefix("rgb(").rstrip(")").split(",")[:3])) < 3 * 80
    (SHOTS / "dark").mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / "dark" / "index.png")
    page.close()


def test_search(browser, address) -> None:
    page, requests, complaints = opened(browser, address, SITE / "index.html", "wide")
    page.keyboard.press("/")
    page.keyboard.type("dormant", delay=30)
    result = page.locator(".md-search-result__link").first
    result.wait_for(timeout=20_000)
    assert "dormant" in page.locator(".md-search-result__list").inner_text().lower()
    assert (requests, complaints) == ([], [])
    page.close()
