"""What the page costs in a real Chromium: its start, a keystroke, a stage, and 500 texts."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, CDPSession, Page, Response, sync_playwright

from model import LoadedModel, trace
from tests.benchmarks import peer
from tests.benchmarks.rounds import readings
from tests.benchmarks.table import Goal, Line
from tests.browser.chromium import FLAGS, find
from tests.live import running

WATCH = Path(__file__).with_name("watch.js")
START = Goal(10)
KEYSTROKE = Goal(2)
ONE_HEATMAP = Goal(40)
FOUR_HEATMAPS = Goal(80)
SETTLED_AFTER, CHANGES = 50, 500
HEAP_SHARE, HEAP_MEGABYTES, NODE_SHARE = 1.10, 1.0, 1.01


def measure(model: LoadedModel, texts: list[str], address: str) -> list[Line]:
    """All of it, against the server at `address` and a peer that is started here."""
    with (
        running("tests.benchmarks.peer") as peers,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=find(), args=FLAGS) as browser,
    ):
        return [
            *starts(browser, address, peers.address, texts[0], rounds=9),
            *keystrokes(browser, address, peers.address, model.config.context_length, rounds=15),
            *stages(browser, address, model, texts[0], rounds=15),
            *script_bytes(browser, address),
            *changes(browser, address, texts[: SETTLED_AFTER * 4 : 4]),
        ]


@contextmanager
def opened(browser: Browser, address: str, **query: str) -> Iterator[Page]:
    """A page as a first visitor gets it: an empty cache, and the watch running from the start."""
    with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
        page = context.new_page()
        page.add_init_script(path=WATCH)
        page.goto(f"{address}?{urlencode(query)}" if query else address)
        yield page


def settle(page: Page) -> None:
    """Wait until nothing more is asked for or drawn: the checks come last."""
    page.wait_for_function(
        "() => /NumPy (agrees|does not)/.test(document.querySelector('[data-check]').textContent)"
    )


def starts(browser: Browser, address: str, peers: str, text: str, *, rounds: int) -> list[Line]:
    """From the start of the navigation to the first heatmap on the screen, and to Plotly's."""

    def bare() -> Mapping[str, float]:
        with opened(browser, peers + peer.BARE) as page:
            return {"bare": page.evaluate("() => benchmark.heatmap")["shown"]}

    def arrival() -> Mapping[str, float]:
        with opened(browser, address) as page:
            return {
                "arrival": page.evaluate("() => benchmark.heatmap")["shown"],
                "Plotly": page.evaluate("() => benchmark.figure")["shown"],
            }

    def link() -> Mapping[str, float]:
        with opened(browser, address, text=text) as page:
            return {"link": page.evaluate("() => benchmark.heatmap")["shown"]}

    found = readings(bare, arrival, link, rounds=rounds)
    return [
        Line(
            "page start to first heatmap / bare canvas page", found.ratio("arrival", "bare"), START
        ),
        Line("the same by a link to 64 characters", found.ratio("link", "bare"), START),
        Line("  bare canvas page, milliseconds", found.typical("bare")),
        Line("  first heatmap, milliseconds", found.typical("arrival")),
        Line("  first heatmap by the link", found.typical("link")),
        Line("  Plotly has drawn, milliseconds", found.typical("Plotly")),
    ]


def keystrokes(
    browser: Browser, address: str, peers: str, length: int, *, rounds: int
) -> list[Line]:
    """From a key that replaces the last character to all thumbnails drawn with the new trace."""
    texts = peer.typed(length)
    with (
        opened(browser, address, text=texts[-1]) as ours,
        opened(browser, peers, text=texts[-1]) as prebuilt,
    ):
        for page in (ours, prebuilt):
            settle(page)
        next_ours, next_prebuilt = cycle(texts).__next__, cycle(texts).__next__
        found = readings(
            lambda: press(ours, "ours", next_ours()),
            lambda: press(prebuilt, "prebuilt", next_prebuilt()),
            rounds=rounds,
        )
    return [
        Line(
            "keystroke to all thumbnails / page with prebuilt traces",
            found.ratio("ours drawn", "prebuilt drawn"),
            KEYSTROKE,
        ),
        Line("  keystroke to all thumbnails, milliseconds", found.typical("ours drawn")),
        Line("  the same with prebuilt traces", found.typical("prebuilt drawn")),
        Line("  keystroke to Plotly has drawn", found.typical("ours figure")),
        Line("  keystroke to both on the screen", found.typical("ours shown")),
    ]


def press(page: Page, name: str, text: str) -> Mapping[str, float]:
    """Type the text's last character over the one on the page."""
    page.bring_to_front()
    page.focus("[data-text]")
    page.keyboard.press("Control+End")
    page.keyboard.press("Shift+ArrowLeft")
    page.evaluate("text => { benchmark.pressed = benchmark.keystroke(text); }", text)
    page.keyboard.press(text[-1])
    found = page.evaluate("() => benchmark.pressed")
    settle(page)
    return {f"{name} {what}": value for what, value in found.items()}


def stages(
    browser: Browser, address: str, model: LoadedModel, text: str, *, rounds: int
) -> list[Line]:
    """From choosing another stage to its heatmaps drawn by Plotly, there and back."""
    traced = trace(model, text)
    length = len(text)

    def key_of(*shape: int) -> str:
        return next(s.key for s in model.stages if traced.array(s.key).shape == shape)

    one, four = key_of(length, length), key_of(model.config.n_heads, length, length)
    with opened(browser, address, text=text, stage=one) as page:
        settle(page)
        found = readings(
            lambda: {"four": page.evaluate("key => benchmark.goTo(key)", four)},
            lambda: {"one": page.evaluate("key => benchmark.goTo(key)", one)},
            rounds=rounds,
            turning=False,
        )
    return [
        Line("one 64 × 64 heatmap updated, milliseconds", found.typical("one"), ONE_HEATMAP),
        Line("four of them updated, milliseconds", found.typical("four"), FOUR_HEATMAPS),
    ]


def script_bytes(browser: Browser, address: str) -> list[Line]:
    """What a first visit transfers, headers included."""
    with browser.new_context() as context:
        page = context.new_page()
        responses: list[Response] = []
        page.on("response", lambda response: responses.append(response))
        page.goto(address, wait_until="networkidle")
        sizes: dict[str, int] = {}
        for response in responses:
            size = response.request.sizes()
            name = response.request.resource_type
            if "plotly" in response.url:
                name = "plotly"
            sent = size["responseBodySize"] + size["responseHeadersSize"]
            sizes[name] = sizes.get(name, 0) + sent
    return [
        Line("scripts over the wire, kB", (sizes["script"] + sizes["plotly"]) / 1e3),
        Line("  without Plotly's", sizes["script"] / 1e3),
        Line("  the entry page with its trace", sizes["document"] / 1e3),
    ]


def changes(browser: Browser, address: str, texts: list[str]) -> list[Line]:
    """What the page holds after some texts, and after ten times as many, ending on the same."""
    with opened(browser, address, text=texts[-1]) as page:
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")

        def after(count: int) -> tuple[float, float]:
            for _ in range(count // len(texts)):
                page.evaluate("texts => benchmark.change(texts)", texts)
            settle(page)
            return held(session)

        settle(page)
        heap, nodes = after(SETTLED_AFTER)
        heap_later, nodes_later = after(CHANGES - SETTLED_AFTER)
    return [
        Line(f"  heap after {SETTLED_AFTER} texts, MB", heap),
        Line(
            f"heap after {CHANGES} texts, MB",
            heap_later,
            Goal(round(heap * HEAP_SHARE + HEAP_MEGABYTES, 3)),
        ),
        Line(f"  nodes after {SETTLED_AFTER} texts", nodes),
        Line(f"nodes after {CHANGES} texts", nodes_later, Goal(round(nodes * NODE_SHARE))),
    ]


def held(session: CDPSession) -> tuple[float, float]:
    """The heap in megabytes and the nodes, after all garbage is gone."""
    for _ in range(3):
        session.send("HeapProfiler.collectGarbage")
    metrics = session.send("Performance.getMetrics")["metrics"]
    values = {metric["name"]: metric["value"] for metric in metrics}
    return values["JSHeapUsedSize"] / 1e6, values["Nodes"]
