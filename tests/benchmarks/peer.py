"""The peers of the page: itself with prebuilt traces, and a page with nothing but a canvas.

`python -m tests.benchmarks.peer PORT` serves both behind the app's own server and middleware.
"""

import sys
from string import ascii_letters

import orjson
import uvicorn
from fastapi import FastAPI, Request, Response
from starlette.routing import Route

from app.main import create_app
from app.tracing import wire
from model import trace
from tests.benchmarks.texts import texts

BARE = "/bare"
BARE_SCRIPT = "/bare.js"
BARE_PAGE = f"""<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>A canvas</title>
  <script type="module" src="{BARE_SCRIPT}"></script>
</head>
<body></body>
</html>
"""
BARE_DRAWING = """\
const canvas = document.createElement("canvas");
canvas.dataset.bare = "";
canvas.width = canvas.height = 64;
const image = new ImageData(canvas.width, canvas.height);
new Uint32Array(image.data.buffer).fill(0xff3366cc);
canvas.getContext("2d").putImageData(image, 0, 0);
document.body.append(canvas);
"""


def typed(length: int) -> list[str]:
    """The texts that one key makes, pressed for the last of `length` characters."""
    return [texts(length)[0][:-1] + letter for letter in ascii_letters]


def create_peer() -> FastAPI:
    """The app, with a trace of each typed text made before anyone asks, and the bare page."""
    app = create_app()
    model = app.state.service.model()
    answers = {
        text: wire.as_safetensors(trace(model, text), model.stages)
        for text in typed(model.config.context_length)
    }

    async def answer(request: Request) -> Response:
        text = orjson.loads(await request.body())["text"]
        return Response(answers[text], media_type=wire.SAFETENSORS_TYPE)

    async def page(_: Request) -> Response:
        return Response(BARE_PAGE, media_type="text/html")

    async def script(_: Request) -> Response:
        return Response(BARE_DRAWING, media_type="text/javascript")

    app.router.routes[:0] = [
        Route("/api/v1/traces", answer, methods=["POST"]),
        Route(BARE, page),
        Route(BARE_SCRIPT, script),
    ]
    return app


if __name__ == "__main__":
    uvicorn.run(create_peer(), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
