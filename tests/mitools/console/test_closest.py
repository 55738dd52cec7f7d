import pytest

from mitools.console import closest, suggestion

NAMES = ["source", "image", "map", "threads", "Δt"]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("sorce", "source"),
        ("IMAGE", "image"),
        ("thr", "threads"),
        ("Δt2", "Δt"),
        ("zzz", None),
        ("", None),
        ("x" * 100000, None),
    ],
)
def test_closest(name, found):
    assert closest(name, NAMES) == found


def test_a_name_is_not_its_own_suggestion():
    assert closest("map", ["map"]) is None
    assert suggestion("mpa", NAMES) == "did you mean `map`?"
    assert suggestion("zzz", NAMES) is None
