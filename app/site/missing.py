"""Where there is nothing: a browser gets a page with ways on, and an address that is right but for
a slash at its end leads to the one without."""

from urllib.parse import quote

from fastapi import Request, Response
from starlette.routing import Match

from app.site.pages import Pages, answer
from model.errors import quoted

LONGEST = 80
"""Characters of an address that the page repeats."""


class Missing:
    """What is answered in place of the API's error, if anything."""

    def __init__(self, pages: Pages, api: str) -> None:
        self._pages = pages
        self._api = api

    def __call__(self, request: Request) -> Response | None:
        """A redirection, a page, or None: the API's own addresses, other methods than GET and
        clients that do not ask for HTML get the error as JSON."""
        path = request.scope["path"]
        if request.method != "GET" or f"{path}/".startswith(f"{self._api}/"):
            return None
        without = path.rstrip("/")
        if without != path and _is_page(request, without):
            query = f"?{request.url.query}" if request.url.query else ""
            # One slash at the beginning, or a browser would read a host's name.
            location = quote(f"/{without.lstrip('/')}") + query
            return Response(status_code=308, headers={"Location": location})
        if "text/html" not in request.headers.get("accept", "").lower():
            return None
        page = self._pages.render("missing.html", asked=quoted(path, LONGEST), here="")
        response = answer(page, None, status=404)
        del response.headers["ETag"]
        response.headers.update({"Cache-Control": "no-store", "Vary": "Accept"})
        return response


def _is_page(request: Request, path: str) -> bool:
    scope = {**request.scope, "path": path}
    return any(route.matches(scope)[0] is Match.FULL for route in request.app.routes)
