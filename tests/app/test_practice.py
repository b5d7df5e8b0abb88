"""From a stage or a section to the labs, steps and exercises that use it, and back."""

import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.labs.table import LABS
from app.lessons.library import EXERCISES, library
from app.lessons.uses import uses_of
from app.server.practice import Practice, StageLink, Use, UseKind, section_anchor, shown
from app.server.service import Service
from app.texts.table import TEXTS, CourseText
from model.config import PRESETS
from model.table import sections
from model.table.sections import EVERY, Section

STEPS = [
    pytest.param(step.model, step.stage, use, id=f"{lesson.name}-{step.key}")
    for lesson in library().values()
    for step, use in zip(lesson.steps, uses_of(lesson), strict=True)
    if step.stage is not None
]


@pytest.fixture(scope="module")
def service(client: TestClient) -> Service:
    found: Service = client.app.state.service  # type: ignore[attr-defined]
    return found


@pytest.fixture(scope="module")
def texts_page(client: TestClient) -> str:
    return client.get("/texts").text


@pytest.mark.parametrize(("model", "stage", "use"), STEPS)
def test_stage_leads_to_each_step_that_stands_at_it(
    service: Service, model: str, stage: str, use: Use
) -> None:
    assert use in service.practice.of_stages(PRESETS[model])[stage]


@pytest.mark.parametrize(("model", "stage", "use"), STEPS)
def test_step_is_taught_by_the_sections_of_its_stage(model: str, stage: str, use: Use) -> None:
    (found,) = [one for name, one in use.stages if (name, one.key) == (model, stage)]
    assert set(found.sections) <= set(use.sections)


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_section_leads_to_its_lab_and_back(client: TestClient, service: Service, lab: Any) -> None:
    page = client.get(f"/labs/{lab.name}").text
    for section in lab.sections:
        uses = service.practice.of_section(section)
        assert f"/labs/{lab.name}" in [use.address for use in uses]
        assert f'href="/texts#{section_anchor(section)}"' in page


def test_other_blocks_and_models_lead_to_the_same_step(service: Service) -> None:
    """What is made alike at the same place is practised alike."""
    steps = [
        {use.address for use in service.practice.of_stages(PRESETS[model])[key] if use.places}
        for model, key in (
            ("shakespeare", "blocks.0.attn.weights"),
            ("shakespeare", "blocks.1.attn.weights"),
            ("shakespeare-preln", "blocks.0.attn.weights"),
        )
    ]
    assert steps[0] == steps[1] == steps[2]
    assert "/lessons/follow-one-input?step=8" in steps[0]


def test_encoder_does_not_lead_to_steps_about_the_mask(service: Service) -> None:
    found = service.practice.of_stages(PRESETS["shakespeare-encoder"])["blocks.0.attn.weights"]
    assert found
    assert [use.address for use in found if "follow-one-input" in use.address] == []


@pytest.mark.parametrize("model", PRESETS)
def test_api_gives_the_practice_of_every_stage(
    client: TestClient, service: Service, model: str
) -> None:
    stages = client.get("/api/v1/stages", params={"model": model}).json()["stages"]
    expected = service.practice.of_stages(service.model(model).config)
    assert [[one["address"] for one in stage["practice"]] for stage in stages] == [
        [use.address for use in expected[stage["key"]]] for stage in stages
    ]


def test_sections_have_the_addresses_of_their_figures(client: TestClient) -> None:
    stages = client.get("/api/v1/stages").json()["stages"]
    figures = {one["label"]: one["figure"] for stage in stages for one in stage["sections"]}
    assert figures["§7.3 LayerNorm"] == sections.LAYER_NORM.figure_url
    assert figures["§7.2 Residual Connections and the Residual Stream"] is None


def test_every_address_to_practise_at_is_there(client: TestClient, service: Service) -> None:
    for use in service.practice.uses:
        page, _, fragment = use.address.partition("#")
        response = client.get(page)
        assert response.status_code == 200, use.address
        assert not fragment or f'id="{fragment}"' in response.text, use.address
        if use.kind is UseKind.LESSON:
            name, step = re.findall(r"/lessons/(.*)\?step=(\d+)", use.address)[0]
            assert library()[name].steps[int(step) - 1].title in use.title


@pytest.mark.parametrize("section", EVERY, ids=lambda section: section.label)
def test_every_section_is_shown_by_something(service: Service, section: Section) -> None:
    assert shown([section], service.models.values()) or service.practice.of_section(section)


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
def test_texts_page_has_the_sections_of_a_text_in_order(texts_page: str, text: CourseText) -> None:
    own = [section_anchor(section) for section in EVERY if text.has(section)]
    assert own
    anchors = re.findall(r'<article class="text-section" id="([^"]+)"', texts_page)
    assert [anchor for anchor in anchors if anchor in own] == own


def test_texts_page_has_every_section_once(texts_page: str) -> None:
    anchors = re.findall(r'<article class="text-section" id="([^"]+)"', texts_page)
    assert sorted(anchors) == sorted(section_anchor(section) for section in EVERY)


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
def test_text_begins_with_its_models_and_its_lesson(texts_page: str, text: CourseText) -> None:
    assert f'href="/lessons/{text.lesson}"' in texts_page
    assert [name for name in text.presets if f'href="/?model={name}"' not in texts_page] == []
    assert text.lesson in library()
    assert text.lesson != EXERCISES


def test_section_is_shown_by_the_model_that_its_text_is_about(service: Service) -> None:
    found = shown([sections.RMS_NORM], service.models.values(), ("shakespeare-modern",))
    assert (
        StageLink("norm: mean square", "shakespeare-modern", "blocks.0.attn_norm.mean_square")
        in found
    )


@pytest.mark.parametrize("address", ["/", "/lessons"])
@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
def test_each_text_has_its_way_in(client: TestClient, address: str, text: CourseText) -> None:
    assert f'href="/texts#{text.name}"' in client.get(address).text


@pytest.mark.parametrize("address", ["/lessons", "/labs", "/texts"])
def test_reading_is_linked(client: TestClient, address: str) -> None:
    assert 'href="/reading"' in client.get(address).text.partition("<main")[2]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
def test_reading_says_what_each_reference_is_for(client: TestClient, text: CourseText) -> None:
    page = client.get("/reading").text.replace("&amp;", "&")
    for reference in text.references:
        assert reference.what in page
        assert reference.good_for in page
        assert reference.url is None or f'href="{reference.url}"' in page
        assert [s for s in reference.sections if f"/texts#{section_anchor(s)}" not in page] == []


def test_file_of_a_trace_leads_nowhere() -> None:
    """A saved page has no server beside it."""
    assert Practice(()).of_stages(PRESETS["shakespeare"])["logits"] == ()
