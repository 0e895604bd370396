from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.base.errors import UserError
from workbench.base.types import BlockClass
from workbench.cli.main import main
from workbench.jobs.context import Context
from workbench.jobs.events import Event, Warned
from workbench.project.documents import iter_documents
from workbench.services.importing.batch import ImportOptions, import_paths
from workbench.services.pages.selectors import choose, export_selectors, forget, import_selectors, selectors
from workbench.services.session import Session

ROWS = [{"host": "a.example", "selector": "div.x"}, {"host": "b.example", "selector": "#y, p > b"}]


@pytest.fixture
def opened(path: Path):
    with Session(path) as session:
        yield session


def write(folder: Path, text: str, name: str = "selectors.jsonl") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_a_selector_is_kept_under_its_plain_host(opened: Session):
    assert choose(opened, "WWW.Example.jp:80", " div.x ") == "example.jp"
    choose(opened, "*", "main")
    choose(opened, "example.jp", "#y")
    assert selectors(opened) == {"*": "main", "example.jp": "#y"}
    assert forget(opened, "www.example.jp") == "example.jp"
    assert selectors(opened) == {"*": "main"}
    with pytest.raises(UserError, match=r"no selector for example\.jp"):
        forget(opened, "example.jp")


@pytest.mark.parametrize(
    ("host", "css"),
    [("example.jp", "div["), ("", "p"), ("https://a.jp/", "p"), ("a b", "p"), ("\ud800", "p"), ("a", "")],
)
def test_what_cannot_be_used_is_not_kept(opened: Session, host: str, css: str):
    with pytest.raises(UserError):
        choose(opened, host, css)
    assert selectors(opened) == {}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.jsonl", "".join(json.dumps(row) + "\n" for row in ROWS)),
        ("s.csv", 'host,selector\na.example,div.x\nb.example,"#y, p > b"\n'),
        ("s.csv", "Host;Selector\na.example;div.x\nb.example;#y, p > b\n"),
        ("s.tsv", "selector\tsite\tnote\ndiv.x\ta.example\n#y, p > b\tb.example\tx\n"),
        ("s.json", json.dumps({"a.example": "div.x", "b.example": ["#y", "p > b"]})),
        ("s.json", json.dumps([{"site": r["host"], "content_selectors": r["selector"].split(", ")} for r in ROWS])),
        ("s.json", json.dumps(ROWS)),
    ],
)
def test_files_of_every_form_are_read(opened: Session, tmp_path: Path, name: str, text: str):
    result = import_selectors(opened, write(tmp_path, text, name))
    assert (result.imported, result.unchanged, result.failed) == (2, 0, ())
    assert selectors(opened) == {"a.example": "div.x", "b.example": "#y, p > b"}


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv", "out.json"])
def test_what_is_written_is_read_again(opened: Session, tmp_path: Path, name: str):
    import_selectors(opened, write(tmp_path, json.dumps(ROWS)))
    assert export_selectors(opened, tmp_path / name) == 2
    again = import_selectors(opened, tmp_path / name)
    assert (again.imported, again.unchanged, again.failed) == (0, 2, ())


def test_bad_rows_are_listed_by_line_and_the_rest_is_kept(opened: Session, tmp_path: Path):
    rows = [
        '{"host": "a.example", "selector": "div.x"}',
        "{",
        "",
        "[1]",
        '{"host": "b.example"}',
        '{"host": "b.example", "selector": "div["}',
        '{"host": 3, "selector": "p"}',
        '{"host": "b.example", "selector": ["p", 3]}',
        '{"host": "www.a.example", "selector": "#other"}',
        '{"host": "c.example", "selector": "p\\ud800"}',
        '{"host": "d.example", "selector": "p"}',
    ]
    result = import_selectors(opened, write(tmp_path, "\n".join(rows)))
    assert selectors(opened) == {"a.example": "div.x", "d.example": "p"}
    assert [f.path.rpartition(":")[2] for f in result.failed] == ["2", "4", "5", "6", "7", "8", "9", "10"]
    assert "b.example" in result.failed[3].error


def test_a_file_without_the_columns_is_refused(opened: Session, tmp_path: Path):
    for text in ("name,css\na,b\n", ""):
        with pytest.raises(UserError, match="column host"):
            import_selectors(opened, write(tmp_path, text, "s.csv"))
    with pytest.raises(UserError):
        import_selectors(opened, tmp_path / "none.csv")
    with pytest.raises(UserError):
        export_selectors(opened, tmp_path / "s.txt")


@pytest.mark.slow
def test_imported_pages_are_judged_by_the_selector_of_their_host(opened: Session, ctx: Context, tmp_path: Path):
    choose(opened, "example.jp", "div.x")
    markup = "<div>outside it is text</div><div class=x>inside</div>"
    rows = [
        {"id": str(i), "url": f"http://{host}/{i}", "html": markup}
        for i, host in enumerate(("news.example.jp", "b.jp"))
    ]
    rows.append({"id": "2", "site": "example.jp", "html": "<p>no such element here, but a sentence.</p>"})
    file = write(tmp_path, "".join(json.dumps(row) + "\n" for row in rows), "pages.jsonl")
    assert import_paths(ctx, opened.path, [file], None, ImportOptions(workers=1)).imported == 3
    with opened.read() as connection:
        blocks = {document.id: document.blocks for document in iter_documents(connection)}
    assert [b.verdict for b in blocks["0"]] == [BlockClass.NON_CONTENT, BlockClass.CONTENT]
    assert blocks["0"][1].rule == "inside the selector for example.jp (div.x)"
    assert not any("selector" in b.rule for b in blocks["1"])
    assert blocks["2"][0].rule.endswith("the selector for example.jp selects nothing here")


@pytest.mark.slow
def test_pages_that_a_selector_takes_nothing_from_are_counted(opened: Session, tmp_path: Path):
    choose(opened, "example.jp", "div.gone")
    choose(opened, "*", "p")
    pages = [("news.example.jp", "<div>text"), ("example.jp", "<div class=gone>text"), ("b.jp", "<div>a"), ("", "<i>b")]
    rows = [json.dumps({"id": str(i), "site": host, "html": html}) for i, (host, html) in enumerate(pages)]
    events: list[Event] = []
    ctx = Context("test", events.append, lambda: False)
    import_paths(ctx, opened.path, [write(tmp_path, "\n".join(rows), "pages.jsonl")], None, ImportOptions(workers=1))
    assert [event.message for event in events if isinstance(event, Warned)] == [
        "The selector for all hosts matched nothing on 2 of the pages; there the rule for content blocks decided.",
        "The selector for example.jp matched nothing on 1 of the pages; there the rule for content blocks decided.",
    ]


def test_the_verb(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    def run(*arguments: str) -> tuple[int, str]:
        code = main(["selectors", str(path), *arguments])
        return code, capsys.readouterr().out

    assert run("set", "www.example.jp", "div.x") == (0, "The selector for example.jp is div.x\n")
    assert run("--json") == (0, '{"host": "example.jp", "selector": "div.x"}\n')
    file = write(tmp_path, '{"host": "a.jp", "selector": "p"}\n{}\n')
    code, out = run("import", str(file), "--json")
    assert (code, json.loads(out)["imported"], len(json.loads(out)["failed"])) == (0, 1, 1)
    assert run("export", str(tmp_path / "out.csv"))[0] == 0
    assert run("remove", "a.jp")[0] == 0
    assert run("remove", "a.jp")[0] == 1
    assert run("set", "a.jp", "div[")[0] == 1
    assert run("set", "a.jp")[0] == 2
    assert run()[1].split() == ["host", "selector", "example.jp", "div.x"]
