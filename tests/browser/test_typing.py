"""Typing, going wrong, and coming back."""

from playwright.sync_api import Page

from tests.browser.conftest import drawn, open_tracer


def type_text(page: Page, text: str) -> None:
    page.locator("[data-text]").fill(text)


def refusal(page: Page) -> str:
    page.wait_for_selector("[data-message].is-refusal")
    return page.locator("[data-message]").inner_text()


def forgive(page: Page, *statuses: int) -> None:
    """The browser reports refused requests on the console; those of the test are meant."""
    page.complaints[:] = [  # type: ignore[attr-defined]
        c
        for c in page.complaints
        if not any(f"status of {s}" in c for s in statuses)  # type: ignore[attr-defined]
    ]


def test_typed_text_is_traced(page: Page) -> None:
    open_tracer(page)
    type_text(page, "My lord")
    drawn(page, "My lord")
    assert page.locator(".chip-glyph").all_inner_texts() == list("My␣lord")
    assert page.locator("[data-count]").inner_text() == "7 / 64"
    assert "After “d” at position 6" in page.locator("[data-after]").inner_text()


def test_unknown_character_is_named_and_old_pictures_are_marked(page: Page) -> None:  # C06
    open_tracer(page, text="O Romeo")
    type_text(page, "O Romeo 🙂")
    said = refusal(page)
    assert "🙂" in said
    assert "U+1F642" in said
    assert "position 8" in said
    assert "“O Romeo”" in page.locator("[data-stale]").inner_text()
    assert "is-stale" in (page.locator('[data-view="outline"]').get_attribute("class") or "")
    type_text(page, "O Romeo")
    page.wait_for_selector("[data-message]:not(.is-refusal)", state="attached")
    page.wait_for_function("() => document.querySelector('[data-stale]').textContent === ''")
    forgive(page, 422)


def test_characters_are_counted_as_code_points(page: Page) -> None:  # C08
    open_tracer(page)
    type_text(page, "a" * 63 + "🙂")
    said = refusal(page)
    assert page.locator("[data-count]").inner_text() == "64 / 64"
    assert "position 63" in said
    assert "at most" not in said
    forgive(page, 422)


def test_white_space_is_kept(page: Page) -> None:  # C09
    open_tracer(page, text="a ")
    assert page.locator(".chip-glyph").all_inner_texts() == ["a", "␣"]
    type_text(page, " \n ")
    drawn(page, " \n ")
    assert page.locator(".chip-glyph").all_inner_texts() == ["␣", "↵", "␣"]


def test_pasted_carriage_returns_become_newlines(page: Page) -> None:  # C10
    open_tracer(page)
    type_text(page, "To be,\r\nor not")
    drawn(page, "To be,\nor not")
    assert page.locator("[data-count]").inner_text() == "13 / 64"


def test_linked_carriage_returns_become_newlines(page: Page) -> None:
    page.goto("/?text=To+be,%0D%0Aor+not")
    drawn(page, "To be,\nor not")
    assert page.locator(".chip-glyph").all_inner_texts() == list("To␣be,↵or␣not")


def test_too_long_text_is_refused_with_both_numbers(page: Page) -> None:  # C11
    open_tracer(page)
    type_text(page, "a" * 65)
    said = refusal(page)
    assert "65" in said
    assert "64" in said
    forgive(page, 422)


def test_empty_box_sends_nothing_and_says_why(page: Page) -> None:  # C12
    open_tracer(page, text="a")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    type_text(page, "")
    assert "at least one character" in refusal(page)
    page.wait_for_timeout(300)
    assert not [url for url in sent if "/api/v1/traces" in url]
    type_text(page, "b")
    drawn(page, "b")


def test_markup_is_shown_and_never_runs(page: Page) -> None:  # C15
    page.goto(
        "/?text=%3Cscript%3Ealert(1)%3C%2Fscript%3E&stage=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E"
    )
    assert "'<'" in refusal(page)
    assert page.locator("[data-text]").input_value() == "<script>alert(1)</script>"
    assert page.locator("img, [data-message] *").count() == 0
    forgive(page, 422)


def test_back_and_forward_restore_texts(page: Page) -> None:  # C53
    open_tracer(page, text="start")
    for text in ("one", "two", "thee"):
        type_text(page, text)
        page.locator("[data-text]").blur()
        drawn(page, text)
    length = page.evaluate("history.length")
    seen = []
    for step in (page.go_back, page.go_back, page.go_forward):
        step()
        page.wait_for_timeout(100)
        text = page.locator("[data-text]").input_value()
        drawn(page, text)
        seen.append(text)
    assert page.evaluate("history.length") == length
    assert seen == ["two", "one", "two"]


def test_link_restores_the_view_in_a_fresh_tab(page: Page) -> None:
    open_tracer(page, text="To be", stage="blocks.1.attn.weights")
    page.locator('[data-head="2"]').click()
    page.locator('[data-position="3"]').click()
    drawn(page, "To be")
    address = page.url
    other = page.context.new_page()
    other.goto(address)
    drawn(other, "To be")
    assert other.locator("[data-title]").inner_text() == "Block 2 · attention weights"
    assert other.locator('[data-head="2"]').get_attribute("aria-pressed") == "true"
    assert other.locator('[data-position="3"]').get_attribute("aria-pressed") == "true"
    assert other.url == address


def test_server_that_stopped_answering_is_reported(page: Page) -> None:
    open_tracer(page, text="a")
    page.route("**/api/v1/traces", lambda route: route.abort())
    type_text(page, "ab")
    assert "does not answer" in refusal(page)
    page.unroute_all()
    type_text(page, "abc")
    drawn(page, "abc")
    page.complaints.clear()  # type: ignore[attr-defined]  # the aborted request


def test_reload_after_an_upgrade_shows_the_new_page(page: Page) -> None:  # C52
    open_tracer(page)
    answers: dict[str, int] = {}
    page.on("response", lambda response: answers.update({response.url: response.status}))
    page.reload()
    drawn(page)
    document = page.request.get("/")
    assert document.headers["cache-control"] == "no-cache"
    again = page.request.get("/", headers={"If-None-Match": document.headers["etag"]})
    assert again.status == 304
    scripts = page.locator("script[src]").evaluate_all("all => all.map(s => s.src)")
    for script in scripts:
        assert "immutable" in page.request.get(script).headers["cache-control"]
