from venue.library.errors import Misused as Misused
from venue.library.errors import Refused as Refused
from venue.library.venue import Venue as Venue

__version__: str
LAZY: dict[str, str]
