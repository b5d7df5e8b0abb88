"""Each rule for scripts, styles and templates finds what it is for, and nothing else."""

from pathlib import Path

import pytest

from tests.text_rules import ROOT, breaches, files, main, report, stage_words

BAD = [
    (".js", "node.innerHTML = text;"),
    (".js", "node.outerHTML = text;"),
    (".js", "node.insertAdjacentHTML('beforeend', text);"),
    (".js", "document.write(text);"),
    (".js", "document . writeln(text);"),
    (".js", "const a = eval(text);"),
    (".js", "const f = new Function('a', text);"),
    (".js", "node.setAttribute('onclick', text);"),
    (".js", "const tag = `<img src=x onerror=alert(1)>`;"),
    (".js", "console.log(1);"),
    (".js", "for (var i = 0; i < 3; i++) {}"),
    (".js", "var { a } = b;"),
    (".js", "fetch('https://example.org/a')"),
    (".js", "import a from '//cdn.example.org/a.js';"),
    (".js", "// TODO: later"),
    (".js", "const key = 'blocks.0.attn.q';"),
    (".js", "const key = `blocks.${i}.attn.weights`;"),
    (".js", "if (key.endsWith('.weights')) {}"),
    (".js", "if (key === 'logits') {}"),
    (".js", 'if (leaf === "probabilities") {}'),
    (".js", "const masked_scores = 1;"),
    (".css", ".a { color: red !important }"),
    (".css", ".a { color: red ! important; }"),
    (".css", "#page { color: red }"),
    (".css", ".a { color: red }\n.b,\n.c #page:hover { color: red }"),
    (".css", "@media (width > 1px) { #page { color: red } }"),
    (".css", "@import url(https://example.org/a.css);"),
    (".css", ".a { background: url(//example.org/a.png) }"),
    (".css", "/* FIXME */"),
    (".html", '<button onclick="go()">'),
    (".html", "<body\n  onload='go()'>"),
    (".html", '<button onclick="{{ go }}">'),
    (".html", "{{ text|safe }}"),
    (".html", "{{ text | safe }}"),
    (".html", "{% autoescape false %}"),
    (".html", '<script src="https://example.org/a.js"></script>'),
    (".html", '<script src="//example.org/a.js"></script>'),
    (".html", "<script src=//example.org/a.js></script>"),
    (".html", '<p data-stage="blocks.0.attn.weights">'),
    (".html", '<p style="color: red !important">'),
]

GOOD = [
    (".js", "node.textContent = text; // a comment, a path a//b"),
    (".js", "const SVG = 'http://www.w3.org/2000/svg';"),
    (".js", "node.addEventListener('input', listen); node.toggleAttribute('hidden', true);"),
    (".js", "const only = a < b ? one : two;\nconst shown = only === null;"),
    (".js", "style.getPropertyValue('--ink'); node.style.color = 'var(--ink)';"),
    (".js", "console.error(problem); const variable = evaluate(1);"),
    (".js", "for (const { weights, mean } of stages) draw(weights, mean);"),
    (".js", "if (event.key === 'k') {}"),
    (".css", ".a { color: #fff; background: var(--a) }\n.b { color: #ABCDEF }"),
    (".css", "/* not #page { } */ .a::before { content: '' }"),
    (".css", ".a { fill: url('data:image/svg+xml,<svg xmlns=\"http://www.w3.org/2000/svg\"/>') }"),
    (".html", '<p class="once" data-on="yes">{{ text }}, safe and sound</p>'),
    (".html", '<label for="page">On = off</label><input id="page" name="text">'),
    (".html", '<a href="/api">API</a> <img src="{{ asset(name) }}">'),
]


@pytest.mark.parametrize(("suffix", "text"), BAD)
def test_bad_text_is_found(suffix: str, text: str) -> None:
    assert list(breaches(text, suffix))


@pytest.mark.parametrize(("suffix", "text"), GOOD)
def test_good_text_passes(suffix: str, text: str) -> None:
    assert list(breaches(text, suffix)) == []


@pytest.mark.parametrize("word", sorted(stage_words()))
def test_every_part_of_a_stage_key_is_found_in_a_script(word: str) -> None:
    assert list(breaches(f"key.startsWith('{word}.')", ".js"))


def test_report_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "static" / "js" / "a.js"
    path.parent.mkdir(parents=True)
    path.write_text("let a = 1;\n\nconsole.log(a);\nnode.innerHTML = a;\n")
    lines = report(files(tmp_path), tmp_path)
    assert [line.rpartition(":")[0] for line in lines] == [
        "static/js/a.js:3: console.log",
        "static/js/a.js:4: innerHTML",
    ]


def test_breach_makes_the_check_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "templates").mkdir()
    page = tmp_path / "templates" / "page.html"
    page.write_text("{{ text }}")
    assert main(tmp_path) == 0
    page.write_text("{{ text | safe }}")
    assert main(tmp_path) == 1
    assert capsys.readouterr().out.startswith("templates/page.html:1: | safe")


def test_project_keeps_the_rules() -> None:
    assert report(files(ROOT), ROOT) == []


def test_every_script_style_and_template_is_checked() -> None:
    checked = set(files(ROOT))
    for folder in ("static", "templates"):
        for path in (ROOT / folder).rglob("*"):
            other = path.suffix == ".svg" or path.parent.name == "fonts"
            assert path in checked or path.is_dir() or other
