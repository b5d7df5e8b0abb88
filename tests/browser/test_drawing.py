"""What is drawn of a small tensor, by the modules that draw: on one blank page, without Plotly."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from app.tracing.figures import KINDS
from tests.browser.conftest import tab

OUTLIERS = [*[0.1] * 97, -9.0, 8.0, 0.0]
"""Ten rows of ten: two cells lie beyond the ends of the colours, one on either side."""
SCRIPT = """async ([script, kinds]) => {
    const modules = ['drawing/figure', 'drawing/colours', 'drawing/canvas', 'drawing/geometry', 'drawing/remarks',
        'drawing/scale', 'tensor/tensors', 'tracer/store'];
    const found = await Promise.all(modules.map(name => import(`/static/any/js/${name}.js`)));
    const use = Object.assign({}, ...found.map(module => ({ ...module })));
    const tokens = Array.from('abcdefghij', (label, position) => ({ label, text: label, position, id: position }));
    const shown = (kind, shape, numbers, more = {}) => {
        const stage = { key: 'x', title: 'X', kind, axes: ['head', 'row', 'column'].slice(-shape.length), along: [null, null, null].slice(-shape.length), null_means: null, ...more };
        const tensors = new Map([['x', { shape, data: Float32Array.from(numbers) }]]);
        const trace = { told: { text: '', target: null, tokens, target_tokens: [] }, tensors };
        const state = { table: { kinds, labels: ['A', 'B'], stages: [stage], weights: [] }, trace, palette: 'default', scale: 'robust' };
        return { ...state, stage, colouring: use.colouringOf(state, stage) };
    };
    const figure = (state, only = null) => {
        const { rows, columns, matrices } = use.panelsOf(state.stage, state.trace);
        const panels = only ?? matrices.map((_, i) => i);
        const arrangement = use.arrange({ width: 900, height: 500, rows, columns, count: panels.length, square: false, titled: true });
        return use.fill({ ...state, arrangement, shown: panels, ink: {}, mark: null, token: null, ...state.more });
    };
    return new Function('use', 'shown', 'figure', 'numbers', script)(use, shown, figure, NUMBERS);
}""".replace("NUMBERS", str(OUTLIERS))


@pytest.fixture(scope="module")
def blank(context: BrowserContext, server: str) -> Iterator[Page]:
    """A page with nothing on it, for all tests here."""
    with tab(context, server) as page:
        page.route("**/blank", lambda route: route.fulfill(body="", content_type="text/html"))
        page.goto("/blank")
        yield page


def run(page: Page, script: str) -> Any:
    """What a script returns that has the modules' names in `use`, a state of one tensor by `shown`
    and the figure of a state by `figure`."""
    return page.evaluate(SCRIPT, [script, KINDS])


def test_cells_beyond_either_end_are_marked(blank: Page) -> None:
    marks = run(
        blank,
        """const { data } = figure(shown('signed', [10, 10], numbers));
        return data.filter(one => one.type === 'scatter').map(({ x, y }) => x.map((column, i) => [y[i], column]));""",
    )
    assert marks == [[[9, 7], [9, 8]]]


def test_cells_beyond_either_end_are_counted_in_words(blank: Page) -> None:
    said = run(
        blank,
        """const { stage, trace, colouring, table } = shown('signed', [10, 10], numbers);
        return use.remarksOf(stage, trace, colouring, table);""",
    )
    assert "; 2 cells beyond have a triangle." in said


def test_colours_end_where_most_numbers_do(blank: Page) -> None:
    low, high = run(
        blank,
        "const { layout } = figure(shown('signed', [10, 10], numbers)); return [layout.coloraxis.cmin, layout.coloraxis.cmax];",
    )
    assert -low == high == pytest.approx(0.1)


@pytest.mark.parametrize(("kind", "ends"), [("probability", [0, 1]), ("ids", [0, 1])])
def test_range_that_is_fixed_does_not_depend_on_the_numbers(
    blank: Page, kind: str, ends: list[float]
) -> None:
    """Of ids it is the vocabulary's, here of two labels."""
    shown = run(
        blank,
        f"const {{ layout }} = figure(shown('{kind}', [1, 2], [0.25, 0.5])); return [layout.coloraxis.cmin, layout.coloraxis.cmax];",
    )
    assert shown == ends


def test_thumbnail_of_probabilities_is_coloured_from_0_to_1(blank: Page) -> None:
    """The largest of small probabilities has not the colour of 1."""
    pixels = run(
        blank,
        """const { stage, trace, colouring } = shown('probability', [1, 3], [0, 0.5, 1]);
        const half = shown('probability', [1, 2], [0, 0.5]);
        const drawn = ({ stage, trace, colouring }) => {
            const canvas = document.createElement('canvas');
            use.drawThumbnail(canvas, stage, trace, colouring);
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, 1);
            return Array.from({ length: canvas.width }, (_, i) => String(data.slice(4 * i, 4 * i + 4)));
        };
        return [drawn({ stage, trace, colouring }), drawn(half)];""",
    )
    assert pixels[1] == pixels[0][:2]
    assert len(set(pixels[0])) == 3


def test_heads_are_counted_from_one(blank: Page) -> None:
    titles = run(
        blank,
        """const titles = only => figure(shown('signed', [3, 1, 2], [1, 2, 3, 4, 5, 6]), only).layout.annotations
            .map(({ text }) => text).filter(text => text.startsWith('head'));
        return [titles(null), titles([2])];""",
    )
    assert titles == [["head 1", "head 2", "head 3"], ["head 3"]]


def test_one_head_alone_has_its_own_numbers_marks_and_outline(blank: Page) -> None:
    found = run(
        blank,
        """const state = shown('signed', [2, 10, 10], [...numbers.map(() => 0.1), ...numbers]);
        const { data, layout } = figure({ ...state, more: { mark: { panel: 1, row: 4, column: 3 } } }, [1]);
        const other = figure({ ...state, more: { mark: { panel: 0, row: 4, column: 3 } } }, [1]);
        const { x0, x1, y0, y1 } = layout.shapes[0];
        return { last: [...data[0].z[9]].slice(7), types: data.map(({ type }) => type), box: [x0, x1, y0, y1], others: other.layout.shapes.length };""",
    )
    assert found["last"] == [-9.0, 8.0, 0.0]
    assert found["types"] == ["heatmap", "scatter"]
    assert found["box"] == [2.5, 3.5, 3.5, 4.5]
    assert found["others"] == 0


def test_chosen_token_is_outlined_along_its_own_axis(blank: Page) -> None:
    shapes = run(
        blank,
        """const outlined = along => figure({ ...shown('signed', [3, 2], [1, 2, 3, 4, 5, 6], { along }), more: { token: { along: 'text', position: 1 } } })
            .layout.shapes.map(({ x0, x1, y0, y1 }) => [x0, x1, y0, y1]);
        return [outlined(['text', null]), outlined([null, 'text']), outlined(['target', null])];""",
    )
    assert shapes == [[[-0.5, 1.5, 0.5, 1.5]], [[0.5, 1.5, -0.5, 2.5]], []]


def test_axes_have_the_labels_of_their_own_characters(blank: Page) -> None:
    ticks = run(
        blank,
        """const { layout } = figure(shown('signed', [3, 2], [1, 2, 3, 4, 5, 6], { along: ['text', 'vocabulary'] }));
        return [layout.yaxis, layout.xaxis].map(({ ticktext, range }) => [ticktext, range]);""",
    )
    assert ticks == [[["a", "b", "c"], [2.5, -0.5]], [["A", "B"], [-0.5, 1.5]]]


def test_point_is_of_the_cell_under_it(blank: Page) -> None:
    """In the second panel of the second line, near the beginning of the last cell and past it."""
    hits = run(
        blank,
        """const box = (x, y) => ({ x, y, width: 40, height: 30 });
        const arrangement = { panels: [box(0, 0), box(50, 0), box(0, 50), box(50, 50)], cell: { width: 20, height: 10 } };
        return [[50, 50], [71, 71], [89, 79], [90, 60], [60, 80], [45, 5]].map(([x, y]) => use.hit(arrangement, x, y));""",
    )
    assert hits == [
        {"panel": 3, "row": 0, "column": 0},
        {"panel": 3, "row": 2, "column": 1},
        {"panel": 3, "row": 2, "column": 1},
        None,
        None,
        None,
    ]


def test_place_on_a_logarithmic_scale_grows_with_the_number(blank: Page) -> None:
    found = run(
        blank,
        """const { logarithmic, ticks, at } = use.scaleOf([0.01, 1, 0, Infinity]);
        return [logarithmic, ticks.map(tick => Math.round(1e6 * tick) / 1e6), [0.01, 0.1, 1, 0].map(at)];""",
    )
    assert found == [True, [0.01, 0.1, 1], [0, 0.5, 1, None]]


def test_new_trace_drops_the_check_of_the_one_before(blank: Page) -> None:
    """Else a verdict would stand beside numbers that it is not about."""
    found = run(
        blank,
        """const store = use.createStore(use.initialState({ text: 'a' }));
        store.dispatch({ type: 'checks', checks: 'of the first' });
        store.dispatch({ type: 'hover', hover: [9] });
        store.dispatch({ type: 'trace', trace: {} });
        return [store.state.checks, store.state.hover];""",
    )
    assert found == [None, None]
