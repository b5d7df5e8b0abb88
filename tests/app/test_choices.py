"""Every word and every pair of words of a configuration, served."""

from dataclasses import replace
from typing import Any

import orjson

from model.config import ModelConfig
from tests.app.answers import strict
from tests.app.conftest import Serve
from tests.model.presets import untrained
from tests.model.test_choices import REFUSED, SMALL, named, pairs

JSON = {"Content-Type": "application/json"}
DIFFERENCES = ("end_to_end", "single_operation")


def test_page_and_calls_of_every_pair_of_words_are_answered(serve: Serve) -> None:
    """One model at a time: a page that lists a hundred takes seconds."""
    client = serve()
    service: Any = client.app.state.service  # type: ignore[attr-defined]
    seen = 0
    for choices in pairs():
        if tuple(map(str, choices.values())) in REFUSED:
            continue
        model = replace(untrained(ModelConfig(**SMALL, **choices)), id=f"pair-{seen}")
        service.models = {model.id: model}
        page = client.get("/", params={"model": model.id})
        assert page.status_code == 200, named(choices)
        assert model.id in page.text
        body = orjson.dumps({"text": "0"})
        trace = client.post("/api/v1/traces", content=body, headers=JSON)
        assert trace.status_code == 200, named(choices)
        assert [stage["key"] for stage in strict(trace.content)["stages"]] == [
            stage.key for stage in model.stages
        ]
        checks = strict(client.post("/api/v1/checks", content=body, headers=JSON).content)["checks"]
        for check in checks:
            assert all(check[name]["equal"] for name in DIFFERENCES), (named(choices), check)
        seen += 1
    assert seen > 80
