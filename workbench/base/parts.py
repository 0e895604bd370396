"""Optional parts of the program, installed by an extra or by a separate package."""

from __future__ import annotations

from importlib.util import find_spec

from workbench.base.errors import UserError
from workbench.base.messages import Message

SCALE = "palimpsest-scale"
"""The package with the dependencies of very large collections and Parquet tables."""


def check_scale() -> None:
    """Raise UserError, naming the package, unless DuckDB and Arrow are installed."""
    if find_spec("duckdb") is None or find_spec("pyarrow") is None:
        raise UserError(
            Message("Collections too big for a project and Parquet tables need an optional part."),
            hint=Message(
                "Install {package}, of the same version as the program, or: pip install 'palimpsest[scale]'",
                package=SCALE,
            ),
        )
