import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.golden.pan import DATA, evaluated
from workbench.project.listing import ids_of
from workbench.project.matches import match_columns
from workbench.services.session import Session

CHECK = DATA.parents[1] / "checks" / "plagdet.py"
Passage = tuple[str, int, int, str, int, int]


def peer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("plagdet", CHECK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def truth() -> tuple[list[Passage], set[tuple[str, str]]]:
    passages, pairs = [], set()
    for file in DATA.glob("0*/*.xml"):
        pair = re.match(r"(suspicious-document\d+)-(source-document\d+)", file.name)
        assert pair is not None, file.name
        pairs.add((pair[1], pair[2]))
        for feature in re.findall(r"<feature [^>]*>", file.read_text(encoding="utf-8")):
            a = dict(re.findall(r'(\w+)="([^"]*)"', feature))
            if a.get("name") == "plagiarism":
                s, r = int(a["this_offset"]), int(a["source_offset"])
                passages.append((pair[1], s, s + int(a["this_length"]), pair[2], r, r + int(a["source_length"])))
    return passages, pairs


@pytest.mark.skipif(not (DATA.is_dir() and CHECK.is_file()), reason="the real texts are not beside the repository")
def test_the_measures_of_a_run_equal_those_of_pans_own_definition(tmp_path: Path) -> None:
    project = tmp_path / "p.palimpsest"
    evaluation = evaluated(project, DATA, "digest", 0.0)
    assert isinstance(evaluation.run, int)
    with Session(project, write=False) as session, session.read() as connection:
        ids, columns = ids_of(connection), match_columns(connection, evaluation.run)
    rows = [(ids[m.a], *m.a_span, ids[m.b], *m.b_span) for m in columns]
    passages, pairs = truth()
    expected = peer().measures(passages, [r for r in rows if (r[0], r[3]) in pairs])
    assert evaluation.passages is not None
    measures = evaluation.passages.measures
    mine = (measures.precision, measures.recall, measures.granularity, measures.plagdet)
    assert mine == pytest.approx(expected, abs=1e-12)
    assert measures.precision > 0.99
    assert measures.plagdet > 0.4
