from venue.client.asynchronous import AsyncClient as AsyncClient
from venue.client.blocking import Client as Client
from venue.client.errors import Lost as Lost
from venue.client.errors import Misused as Misused
from venue.client.errors import Refused as Refused
from venue.client.errors import Unreachable as Unreachable
from venue.library.venue import Venue as Venue

__version__: str
LAZY: dict[str, str]
