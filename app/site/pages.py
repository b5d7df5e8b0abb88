"""How a page is answered."""

from hashlib import blake2b
from typing import Any, NamedTuple

from fastapi import Response
from starlette.concurrency import run_in_threadpool

from app.server.headers import unchanged
from app.site.assets import REVALIDATE, Assets
from app.site.rendering import environment


class Page(NamedTuple):
    """A page as it is sent, and the tag by which a browser asks whether it is still that."""

    body: bytes
    tag: str


class Pages:
    """Jinja's templates, with the addresses of scripts and styles at hand."""

    def __init__(self, assets: Assets) -> None:
        self._environment = environment(assets.url, assets.modules)

    def render(self, name: str, **context: Any) -> Page:
        """A template filled in; some take tens of milliseconds."""
        body = self._environment.get_template(name).render(**context).encode()
        return Page(body, f'"{blake2b(body, digest_size=16).hexdigest()}"')

    async def rendered(self, name: str, **context: Any) -> Page:
        """The same on a thread, so that the event loop goes on."""
        return await run_in_threadpool(self.render, name, **context)

    async def respond(
        self, name: str, if_none_match: str | None, *, status: int = 200, **context: Any
    ) -> Response:
        """A rendered page that browsers keep but ask about at every load."""
        return answer(await self.rendered(name, **context), if_none_match, status)


def answer(page: Page, if_none_match: str | None, status: int = 200) -> Response:
    """A page, or that it is still the one that the browser has."""
    headers = {"ETag": page.tag, "Cache-Control": REVALIDATE}
    if unchanged(if_none_match, page.tag):
        return Response(status_code=304, headers=headers)
    return Response(page.body, status, media_type="text/html", headers=headers)
