"""How a page is answered."""

from hashlib import blake2b
from typing import Any

from fastapi import Response

from app.server.headers import unchanged
from app.site.assets import REVALIDATE, Assets
from app.site.rendering import environment


class Pages:
    """Jinja's templates, with the addresses of scripts and styles at hand."""

    def __init__(self, assets: Assets) -> None:
        self._environment = environment(assets.url, assets.modules)

    def respond(
        self, name: str, if_none_match: str | None, *, status: int = 200, **context: Any
    ) -> Response:
        """A rendered page that browsers keep but ask about at every load."""
        body = self._environment.get_template(name).render(**context).encode()
        tag = f'"{blake2b(body, digest_size=16).hexdigest()}"'
        headers = {"ETag": tag, "Cache-Control": REVALIDATE}
        if unchanged(if_none_match, tag):
            return Response(status_code=304, headers=headers)
        return Response(body, status, media_type="text/html", headers=headers)
