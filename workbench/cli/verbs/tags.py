"""Verb ``tags``: the user's own keywords for selecting documents, and their roles."""

from __future__ import annotations

import argparse

from workbench.cli.arguments import add_project, add_tag_filter
from workbench.cli.output import Column, Output, command, plural

name = "tags"
summary = "list, add and remove tags of documents, change their roles"
description = (
    "Tags are your own words for documents. 'list' counts documents by tag, 'documents' lists those with tags "
    "(--tag: with these), 'add' and 'remove' change the tags of documents. import, fetch and rows can also set tags. "
    "'role' makes documents sources, suspects or background; runs keep what they found."
)
_CHANGES = ("add", "remove")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("action", nargs="?", choices=("list", "documents", *_CHANGES, "role"), default="list")
    parser.add_argument(
        "name",
        metavar="TAG",
        nargs="?",
        help="add, remove: one tag, or several separated by commas; role: source, suspect or background",
    )
    parser.add_argument("ids", metavar="ID", nargs="*", help="add, remove, role: documents")
    add_tag_filter(parser, "documents: those")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import ParameterError
    from workbench.base.tags import listed, shown
    from workbench.services import tagging
    from workbench.services.session import Session

    action = arguments.action
    if arguments.tag and action != "documents":
        raise ParameterError("--tag chooses among the documents that tags documents lists.")
    if action == "role":
        return _change_roles(arguments, output)
    if arguments.name is not None and action not in _CHANGES:
        raise ParameterError(f"tags {action} takes no more words; tags P documents --tag NAME lists those with a tag.")
    if action in _CHANGES:
        if arguments.name is None or not arguments.ids:
            raise ParameterError(f"tags {action} takes a tag and the ids of documents.")
        names = listed(arguments.name)
        added, removed = (names, ()) if action == "add" else ((), names)
        with Session(arguments.project) as session:
            changed = tagging.change_tags_of(session, arguments.ids, added, removed)
        output.record({"changed": changed, "tags": list(names)})
        output.say(f"{plural(changed, 'document')} changed.")
        return 0
    with Session(arguments.project, write=False) as session:
        if action == "documents":
            for identity, own in (rows := tagging.tagged(session, arguments.tag)).items():
                output.record({"id": identity, "tags": list(own)})
            output.table([Column("document", limit=60), Column("tags")], [(i, shown(own)) for i, own in rows.items()])
            return 0
        counts = tagging.tags(session)
    for tag, count in counts.items():
        output.record({"tag": tag, "documents": count})
    output.table([Column("tag"), Column("documents", right=True)], [(t, f"{n:,}") for t, n in counts.items()])
    if not counts:
        output.say("No document has a tag: palimpsest tags PROJECT add TAG ID...")
    return 0


def _change_roles(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import ParameterError
    from workbench.base.types import Role
    from workbench.services import tagging
    from workbench.services.session import Session

    if arguments.name not in list(Role) or not arguments.ids:
        raise ParameterError(f"tags role takes one of {', '.join(Role)} and the ids of documents.")
    with Session(arguments.project) as session:
        before = tagging.change_roles_of(session, arguments.ids, Role(arguments.name))
    changed = sum(map(len, before.values()))
    output.record({"changed": changed, "role": arguments.name, "before": {r.value: ids for r, ids in before.items()}})
    output.say(f"{plural(changed, 'document')} changed.")
    for role, ids in before.items():
        output.say(f"Undo: {command('tags', arguments.project, 'role', role.value, *ids)}")
    return 0
