"""The command line: `python -m app [serve | trace | export]`."""

import os
import socket
import sys
from argparse import SUPPRESS, ArgumentParser, Namespace
from typing import Any

from pydantic import ValidationError

from app.server.settings import Settings
from app.tracing.formats import SUFFIXES, Format

HOST, PORT = "127.0.0.1", 8000


def parser() -> ArgumentParser:
    """The commands and their options."""
    result = ArgumentParser(prog="python -m app", description="Token Tracer")
    commands = result.add_subparsers(dest="command")
    serve = commands.add_parser("serve", help="start the server (the default)")
    # Options may stand on either side of the command, so only one side may have defaults.
    for target, host, port in ((result, HOST, PORT), (serve, SUPPRESS, SUPPRESS)):
        target.add_argument("--host", default=host, help=f"listen there (default: {HOST})")
        target.add_argument("--port", type=int, default=port, help=f"default: {PORT}")
    trace = commands.add_parser("trace", help="write a trace's tensors to a file")
    _add_request(trace)
    trace.add_argument(
        "--stages", nargs="+", metavar="PATTERN", default=["*"],
        help="shell patterns of stage keys; * crosses dots (default: every stage)",
    )  # fmt: skip
    trace.add_argument("--weight-gradients", action="store_true", help="also d loss / d parameter")
    trace.add_argument(
        "--format", choices=[form.value for form in Format],
        help="csv holds one stage (default: as FILE ends; json where it has no suffix)",
    )  # fmt: skip
    trace.add_argument(
        "-o", "--output", metavar="FILE",
        help="write there; its suffix decides the format: " + ", ".join(SUFFIXES)
        + "; another suffix needs --format; - is standard output, where text formats go by default",
    )  # fmt: skip
    export = commands.add_parser("export", help="write a page of one text that needs no server")
    _add_request(export)
    export.add_argument("--stage", metavar="KEY", help="the stage that it opens at")
    export.add_argument("-o", "--output", metavar="FILE", required=True, help="write there")
    return result


def _add_request(command: ArgumentParser) -> None:
    """What a trace is made of."""
    command.add_argument("text", help="what the model reads; after -- if it begins with a dash")
    command.add_argument("--model", metavar="ID", help="default: the one that the page opens with")
    command.add_argument("--target", help="encoder-decoder: the target so far, one line")
    command.add_argument(
        "--hidden", nargs="+", type=int, metavar="POSITION", default=[],
        help="encoder-only: positions whose character the model must guess",
    )  # fmt: skip
    command.add_argument("--gradients", action="store_true", help="also d loss / d stage")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    given = parser().parse_args(arguments)
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(variable, "1")  # read once, when torch and numpy are imported
    if problem := misconfigured():
        print(problem, file=sys.stderr)
        return 1
    if given.command in ("trace", "export"):
        from app.exports import files

        return files.write(request_of(given), given.output)
    return serve(given.host, given.port)


def request_of(given: Namespace) -> dict[str, Any]:
    """The trace request of a command."""
    asked = {
        name: getattr(given, name) for name in ("text", "model", "target", "hidden", "gradients")
    }
    if given.command == "export":
        stages = {} if given.stage is None else {"stages": [given.stage]}
        return {**asked, **stages, "format": Format.HTML}
    return {
        **asked,
        "stages": given.stages,
        "weight_gradients": given.weight_gradients,
        "format": given.format,
    }


def serve(host: str, port: int) -> int:
    """Run the server until it is stopped."""
    if problem := unavailable(host, port):
        print(problem, file=sys.stderr)
        return 1
    import uvicorn

    uvicorn.run(
        "app.main:create_app", factory=True, host=host, port=port, log_level="warning",
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
