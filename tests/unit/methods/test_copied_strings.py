import math

import numpy as np
import pytest
from corpora import corpus_of, prepared
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.base.progress import Unwatched
from workbench.base.types import Document, Role
from workbench.methods.copied_strings import METHOD, CopiedStringsParameters
