"""What can be done with the documents of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.gui.actions import Action
from workbench.gui.i18n import tr

if TYPE_CHECKING:
    from workbench.gui.views.documents import DocumentsView


def document_actions(view: DocumentsView) -> list[Action]:
    """The actions of the Documents screen, and those that bring texts in from anywhere."""

    def there() -> bool:
        return view.context.session is not None

    def any_chosen() -> bool:
        return view.table.any_chosen()

    bring = view.importer
    menu, here = "documents", view.view_id
    return [
        Action("documents.import", tr("Import files…"), bring.ask_files, "Ctrl+I", menu, "", "import", there),
        Action("documents.folder", tr("Import a folder…"), bring.ask_folder, "Ctrl+Shift+I", menu, "", "folder", there),
        Action(
            "documents.paste",
            tr("Paste text as a document…"),
            bring.ask_paste,
            "Ctrl+Shift+V",
            menu,
            "",
            "paste",
            there,
        ),
        Action("documents.fetch", tr("Fetch pages…"), bring.fetcher.ask, "Ctrl+Alt+I", menu, "", "link", there),
        Action("documents.selectors", tr("Body of pages by host…"), view.show_selectors, "", menu, "", "layers", there),
        Action(
            "documents.judge",
            tr("Judge the blocks of all pages again…"),
            lambda: view.judge.ask(),
            "",
            menu,
            "",
            "retry",
            there,
        ),
        Action("documents.filter", tr("Filter documents"), view.filter.setFocus, "Ctrl+F", menu, here, "filter"),
        Action(
            "documents.remove",
            tr("Remove selected documents"),
            view.remove,
            "Delete",
            menu,
            here,
            "trash",
            any_chosen,
            tr("Choose documents first."),
        ),
        Action(
            "documents.failures",
            tr("Show what failed to import"),
            lambda: view.choose("failed"),
            "",
            menu,
            here,
            "warning",
        ),
    ]
