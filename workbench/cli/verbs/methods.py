"""Verb ``methods``: the detection methods and their parameters."""

from __future__ import annotations

import argparse

from workbench.base.options import Kind
from workbench.cli.arguments import parameter_lines
from workbench.cli.output import Column, Output
from workbench.methods.core import registry

name = "methods"
summary = "each method with its parameters, ranges and defaults"
description = ""


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Declare no arguments."""


def execute(_arguments: argparse.Namespace, output: Output) -> int:
    for name in registry.names():
        method = registry.get(name)
        output.record(
            {
                "method": name,
                "version": method.version,
                "summary": method.summary,
                "source": method.source,
                "emits": sorted(method.emits),
                "parameters": [
                    {
                        "name": s.name,
                        "kind": s.kind.metavar.lower() if isinstance(s.kind, Kind) else s.kind.__name__,
                        "default": s.default,
                        "low": s.low,
                        "high": s.high,
                        "unit": s.unit,
                        "choices": list(s.choices),
                        "paper": s.paper,
                        "help": s.help,
                    }
                    for s in method.parameters.specs()
                ],
            }
        )
        output.say(f"{name} (version {method.version}): {method.summary}")
        output.say(f"  {method.source}")
        columns = [Column("  parameter"), Column("default"), Column("range"), Column("in the paper"), Column("")]
        output.table(columns, [(f"  {row[0]}", *row[1:]) for row in parameter_lines(method)])
        output.say()
    return 0
