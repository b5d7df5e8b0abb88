"""Equations are drawn with the font that the page brings along, whatever the reader's system has."""

from playwright.sync_api import Page

from model.config import PRESETS
from tests.browser.conftest import open_tracer

WIDTHS = """() => {
    const context = document.createElement('canvas').getContext('2d');
    const measured = (font, sign) => { context.font = `40px ${font}`; return context.measureText(sign).width; };
    const missing = (sign) => ['monospace', 'serif', 'cursive'].some((other) => other !== 'serif'
        && measured(`"Tracer Math", ${other}`, sign) !== measured('"Tracer Math", serif', sign));
    const signs = new Set([...document.querySelectorAll('math')].flatMap((math) => [...math.textContent]).filter((sign) => sign.trim()));
    return { count: signs.size, missing: [...signs].filter(missing) };
}"""


def test_font_has_every_sign_of_the_equations(page: Page) -> None:
    open_tracer(page, text="To be")
    assert page.evaluate("document.fonts.check('20px \"Tracer Math\"')")
    page.goto("/glossary")
    page.evaluate("document.fonts.load('20px \"Tracer Math\"')")
    found = page.evaluate(WIDTHS)
    assert found["count"] > 50
    assert found["missing"] == []
    for model in PRESETS:
        page.evaluate(
            """async (model) => {
                const { stages } = await (await fetch(`/api/v1/stages?model=${model}`)).json();
                const maths = stages.map(({ mathml }) => document.importNode(new DOMParser().parseFromString(mathml, 'text/xml').documentElement, true));
                document.querySelector('main').replaceChildren(...maths);
            }""",
            model,
        )
        assert page.evaluate(WIDTHS)["missing"] == [], model
