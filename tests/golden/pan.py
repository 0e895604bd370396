"""A method's passages on a corpus of PAN's text alignment, measured by ``evaluate``.

    python -m tests.golden.pan [METHOD] [FOLDER]

FOLDER (default: ``pan13`` of the real texts beside the repository) has ``susp``, ``src``, ``pairs`` and XML.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from workbench.jobs.context import Context
from workbench.services.detecting.runs import detect
from workbench.services.importing.batch import ImportOptions, import_paths
from workbench.services.measuring.evaluating import Evaluation, evaluate
from workbench.services.session import Session, create

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "pan13"


def evaluated(project: Path, corpus: Path, method: str, threshold: float | None = None) -> Evaluation:
    """The evaluation of a new run of ``method`` in the new project ``project``."""
    ctx = Context("golden", lambda event: None, lambda: False)
    create(project)
    import_paths(ctx, project, [corpus], None, ImportOptions(format="pan"))
    run = detect(ctx, project, method, {})
    with Session(project, write=False) as session:
        return evaluate(session, run.id, threshold=threshold)


def main() -> None:
    """Print the measures at the best threshold."""
    method = sys.argv[1] if len(sys.argv) > 1 else "digest"
    begun = time.time()
    with TemporaryDirectory() as folder:
        evaluation = evaluated(Path(folder) / "p.palimpsest", Path(sys.argv[2]) if len(sys.argv) > 2 else DATA, method)
    assert evaluation.passages is not None
    measures = evaluation.passages.measures
    print(f"{method}: precision {measures.precision:.3f} recall {measures.recall:.3f}", end=" ")
    print(f"granularity {measures.granularity:.3f} plagdet {measures.plagdet:.3f}, {time.time() - begun:.0f} s")


if __name__ == "__main__":
    main()
