"""How a router reaches the service."""

from typing import Annotated

from fastapi import Depends, Request

from app.server.service import Service


async def of_app(request: Request) -> Service:
    """The service of the running app; async, or each request would take a trip through a thread."""
    service: Service = request.app.state.service
    return service


Served = Annotated[Service, Depends(of_app)]
