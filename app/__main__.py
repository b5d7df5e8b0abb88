"""The command line: `python -m app [serve]`."""

import argparse
import os
import socket
import sys
from argparse import SUPPRESS

from pydantic import ValidationError

from app.settings import Settings

HOST, PORT = "127.0.0.1", 8000


def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    result = argparse.ArgumentParser(prog="python -m app", description="Token Tracer")
    commands = result.add_subparsers(dest="command")
    serve = commands.add_parser("serve", help="start the server (the default)")
    # Options may stand on either side of the command, so only one side may have defaults.
    for target, host, port in ((result, HOST, PORT), (serve, SUPPRESS, SUPPRESS)):
        target.add_argument("--host", default=host, help=f"listen there (default: {HOST})")
        target.add_argument("--port", type=int, default=port, help=f"default: {PORT}")
    return result


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    given = parser().parse_args(arguments)
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(variable, "1")  # read once, when torch and numpy are imported
    if problem := misconfigured() or unavailable(given.host, given.port):
        print(problem, file=sys.stderr)
        return 1
    import uvicorn

    uvicorn.run(
        "app.main:create_app", factory=True, host=given.host, port=given.port, log_level="warning",
        timeout_graceful_shutdown=5,
    )  # fmt: skip
    return 0


def misconfigured() -> str | None:
    """Which environment variable cannot be used and why, in a sentence; None when all can."""
    try:
        Settings()
    except ValidationError as error:
        problem = error.errors()[0]
        variable = f"TRACER_{problem['loc'][0]}".upper()
        return f"{variable} is {problem['input']!r}: {problem['msg']}."
    return None


def unavailable(host: str, port: int) -> str | None:
    """Why the address cannot be listened on, in a sentence with the way out; None when it can."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            # getaddrinfo takes 70000 for 4464; bind itself says that there is no such port.
            probe.bind((address[0], port, *address[2:]))
    except (OSError, OverflowError) as error:
        return (
            f"{host}:{port} cannot be used: {error}. "
            "Choose another port: make run PORT=8001, or python -m app --port 8001."
        )
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    print(f"Token Tracer on http://{shown}:{port}  (stop it with Ctrl-C)", flush=True)
    return None


if __name__ == "__main__":
    raise SystemExit(main())
