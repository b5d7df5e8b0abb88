"""ASGI middleware: bodies are counted as they arrive."""

from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.server.errors import BodyTooLarge, input_error_response


class BodyLimit:
    """Refuse a body beyond `limit` bytes with 413, by its length header or as it streams in."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self.app = app
        self.limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refusal = input_error_response(
            BodyTooLarge(
                f"The request body is larger than {self.limit} bytes; send a shorter text."
            )
        )
        refusal.headers["Connection"] = "close"  # the rest of the body is never read
        if _declared(scope["headers"]) > self.limit:
            await refusal(scope, receive, send)
            return
        # The body is read here, up to the limit, so that nothing behind ever sees a larger one.
        received: list[Message] = []
        size = 0
        while True:
            message = await receive()
            received.append(message)
            size += len(message.get("body", b""))
            if size > self.limit:
                await refusal(scope, receive, send)
                return
            if message["type"] != "http.request" or not message.get("more_body", False):
                break
        messages = iter(received)

        async def replay() -> Message:
            return next(messages, None) or await receive()

        await self.app(scope, replay, send)


def _declared(headers: Iterable[tuple[bytes, bytes]]) -> int:
    for name, value in headers:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0
