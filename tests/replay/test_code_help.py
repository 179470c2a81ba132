"""Every finding code is explained."""

from replay import codes
from replay.code_help import code_help


def test_every_code_has_a_sentence_and_something_to_do() -> None:
    found = code_help()
    assert [each.code for each in found] == [each.name for each in codes.CODES]
    for each in found:
        assert each.means.endswith(".") and each.do.endswith("."), each.code
        assert each.shown_by
    assert len({each.means for each in found}) == len(found)
