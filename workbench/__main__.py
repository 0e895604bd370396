"""``python -m workbench`` is ``palimpsest``."""

import os
import sys

# Python puts the current folder first, which may be a stranger's; it stays only where the program itself is there.
if (
    __name__ == "__main__"
    and not sys.flags.safe_path
    and sys.path[0] != os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
):
    del sys.path[0]

from workbench.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
