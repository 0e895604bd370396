import numpy as np
import pytest

from tests.golden.splog import DATA, corpora, evaluated, figures, scored
from workbench.base.types import Role
from workbench.services.measuring.learning import learn


@pytest.mark.skipif(not (DATA / "splog_ja").is_dir(), reason="the real texts are not beside the repository")
def test_copied_strings_tell_splogs_better_than_length_and_templates_do() -> None:
    _, collection, positive = next(corpora(DATA))
    by_default = evaluated(collection, positive, "copied-strings", {})
    as_published = evaluated(collection, positive, "copied-strings", {"min_length": 15, "score": "length"})
    by_template = evaluated(collection, positive, "template", {})
    assert by_default.f1[by_default.best()] >= 0.85
    assert as_published.f1[as_published.best()] >= 0.75
    assert by_default.average_precision > as_published.average_precision > by_template.average_precision


@pytest.mark.rest
@pytest.mark.skipif(not (DATA / "splog_ja").is_dir(), reason="the real texts are not beside the repository")
def test_weights_learnt_from_labels_tell_unseen_spam_better_than_any_single_figure_or_length_does() -> None:
    for name, collection, positive in corpora(DATA):
        learnt = learn(figures(scored(collection)), np.array(positive), list(collection.documents(Role.SUSPECT)))
        # Words alone tell spam comments nearly as well as all figures together: see the intervals.
        assert learnt.apart.f1 > max(one.f1 for one in learnt.alone.values()) - 0.01, name
        assert learnt.apart.f1 >= 0.95, name


@pytest.mark.skipif(not (DATA / "splog_ja").is_dir(), reason="the real texts are not beside the repository")
@pytest.mark.rest
def test_without_labels_all_filters_together_tell_splogs_better_than_copied_strings_do() -> None:
    _, collection, positive = next(corpora(DATA))
    together = evaluated(collection, positive, "splog", {})
    copied = evaluated(collection, positive, "copied-strings", {})
    assert together.f1[together.best()] > copied.f1[copied.best()]
