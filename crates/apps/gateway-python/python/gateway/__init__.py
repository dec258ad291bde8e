"""Candidates, vacancies and SMS credits of a recruitment gateway.

>>> import gateway
>>> client = gateway.Client("https://gateway.example.com", token)
>>> for candidate in client.list_candidates(vacancy_id=7, status="New"):
...     print(candidate.name)
"""

from . import _errors, _generated
from ._errors import *
from ._generated import *
from ._mirror import Change, Mirror, Placement, Report, TableReport
from ._native import Demo, __version__
from ._records import Records, Rejected

__all__ = [
    *_errors.__all__,
    *_generated.__all__,
    "Change",
    "Demo",
    "Mirror",
    "Placement",
    "Records",
    "Rejected",
    "Report",
    "TableReport",
    "__version__",
]
