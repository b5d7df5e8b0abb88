"""Scripts and styles: read once, addressed by content, compressed before anyone asks.

A page names its files under a hash of the whole tree, so they can be cached for ever and an
upgrade shows at the next load. Plotly's script comes from the installed plotly package.
"""

import gzip
import hashlib
import mimetypes
import posixpath
import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

FOR_EVER = "public, max-age=31536000, immutable"
REVALIDATE = "no-cache"
PLOTLY = "plotly.min.js"
MAIN = "js/tracer/main.js"
"""The tracer's script; the pages beside it have their own."""
IMPORT = re.compile(r"""(\b(?:from|import)\s*\(?\s*["'])(\.{1,2}/[^"']+)(?=["'])""")
"""What leads from one module to another: how it begins, and the relative address."""
STYLED = re.compile(r"""(\burl\(["'])(\.{1,2}/[^"']+)(?=["']\))""")
"""What leads from a style to a file: how it begins, and the relative address."""
TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}


@dataclass(frozen=True)
class Asset:
    """One file's bytes, plain and gzipped, and its media type."""

    plain: bytes
    gzipped: bytes
    media_type: str


class Assets:
    """The files under `folder`, and Plotly's script under a hash of its own."""

    def __init__(self, folder: Path) -> None:
        found = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
        plotly = files("plotly").joinpath("package_data", PLOTLY).read_bytes()
        self._trees = {
            _hash(found): {name: _asset(name, content) for name, content in found.items()},
            _hash({PLOTLY: plotly}): {PLOTLY: _asset(PLOTLY, plotly)},
        }

        self._modules: dict[str, list[str]] = {}

    def named(self, name: str) -> Asset:
        """A file."""
        return next(assets[name] for assets in self._trees.values() if name in assets)

    def url(self, name: str) -> str:
        """The address of a file, hash included."""
        for tree, assets in self._trees.items():
            if name in assets:
                return f"/static/{tree}/{name}"
        raise KeyError(name)

    def modules(self, entry: str) -> list[str]:
        """A page's script and all that it imports, directly or through others; sorted."""
        if entry in self._modules:
            return self._modules[entry]
        found: set[str] = set()
        waiting = {entry}
        while waiting:
            name = waiting.pop()
            found.add(name)
            imported = IMPORT.findall(self.named(name).plain.decode())
            waiting |= {resolved(name, address) for _, address in imported} - found
        self._modules[entry] = sorted(found)
        return self._modules[entry]

    def router(self) -> APIRouter:
        router = APIRouter(include_in_schema=False)

        @router.get("/static/{tree}/{name:path}")
        async def show_asset(request: Request, tree: str, name: str) -> Response:
            """A file by its hash; a page of an older build gets today's, not to be cached."""
            known = self._trees.get(tree)
            for assets in [known] if known is not None else self._trees.values():
                if name in assets:
                    return _respond(request, assets[name], FOR_EVER if known else REVALIDATE)
            raise HTTPException(404)

        return router


def resolved(module: str, address: str) -> str:
    """The name of what a module imports by a relative address."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(module), address))


def _respond(request: Request, asset: Asset, caching: str) -> Response:
    headers = {"Cache-Control": caching, "Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(
            asset.gzipped,
            media_type=asset.media_type,
            headers=headers | {"Content-Encoding": "gzip"},
        )
    return Response(asset.plain, media_type=asset.media_type, headers=headers)


def _asset(name: str, content: bytes) -> Asset:
    media_type = TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0]
    return Asset(content, gzip.compress(content, 6, mtime=0), media_type or "text/plain")


def _hash(contents: dict[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, content in contents.items():
        digest.update(name.encode() + b"\0" + content + b"\0")
    return digest.hexdigest()[:16]
