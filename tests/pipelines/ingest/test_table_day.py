"""A table's files put together: every event once, whatever the files; what is missing or came twice is noted."""

import hashlib
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.custody.files import source_of
from pipelines.ingest.read import read_file
from pipelines.ingest.table_day import Landed, TableDay, gather
from replay.columns import SOURCES, Lines
from replay.simulator import disorder, landing
from tests.pipelines.ingest.rows import Row, rows
from tests.pipelines.ingest.test_careful import line
from tests.replay.plant import test_evidence
from tests.replay.test_disorder import landing_zone
from tests.some import some


def draws(*seqs: int, **fields: Any) -> bytes:
    return b"".join(line("draw", {"n": seq + 1, "card": "7S"} | fields, seq=seq) for seq in seqs)


def day(files: dict[str, bytes], table: str = "T1") -> TableDay:
    """Files by name, gathered."""
    landed = []
    for path, data in sorted(files.items()):
        name = Path(path).name
        source = source_of(name)
        assert source is not None
        content = read_file(data, name, source, table, (table,))
        landed.append(Landed(path, hashlib.sha256(data).hexdigest(), content))
    found = gather(landed)
    for file in found.files:
        assert file.lines == file.accepted + file.repeated + file.quarantined
    return found


def told(lines: Lines) -> list[Row]:
    """Return the content of lines without their place; one value becomes a list of it."""
    found = rows(lines.columns, lines.words)
    for row, source, stream in zip(found, lines.columns.source, lines.columns.stream, strict=True):
        del row["line"]
        row |= {"source": SOURCES[source], "stream": lines.words[stream]}
        if "n_list" in row and len(cards := json.loads(row["n_list"])) == 1:
            row["n"] = cards[0]
            del row["n_list"]
        if "by" in row and not row["by"].startswith("["):
            row["by"] = json.dumps([row["by"]], ensure_ascii=False)
    return found


def counts(found: TableDay) -> list[tuple[int, int, int]]:
    return [(file.accepted, file.repeated, file.quarantined) for file in found.files]


def noted(found: TableDay) -> list[tuple[str, str | None, int | None, str]]:
    return [(note.code.removeprefix("evidence."), note.path, note.line, note.message) for note in found.findings]


def test_lines_come_by_source_device_and_number() -> None:
    found = day(
        {
            "camera.ndjson": line("seen", {"order": 1, "face": "up"}, seq=1),
            "shoe-b.ndjson": draws(2, 1, device="B"),
            "shoe.ndjson": draws(3, 1, 2, device="A"),
            "terminal.ndjson": line("close", {}, seq=1),
        }
    )
    lines = found.lines
    order = [(row["source"], row["stream"], row["seq"]) for row in told(lines)]
    shoes = [("shoe", "A", 1), ("shoe", "A", 2), ("shoe", "A", 3), ("shoe", "B", 1), ("shoe", "B", 2)]
    assert order == [("terminal", "", 1), *shoes, ("camera", "", 1)]
    assert lines.columns.file.tolist() == [3, 2, 2, 2, 1, 1, 0]
    assert lines.columns.line.tolist() == [1, 2, 3, 1, 2, 1, 1]
    assert (len(lines), found.findings) == (7, [])


def test_a_file_that_comes_again_counts_once() -> None:
    twice = draws(1, 2, 2, 3) + b"#\n"
    once, again = day({"shoe.ndjson": twice}), day({"shoe.ndjson": twice, "shoe-2.ndjson": twice})
    assert counts(once) == [(3, 1, 1)]
    assert counts(again) == [(3, 1, 1), (0, 4, 1)]
    assert told(once.lines) == told(again.lines)
    assert [note.message for note in once.findings] == [note.message for note in again.findings]


def test_a_file_under_the_wrong_name_does_not_hide_the_right_one() -> None:
    found = day({"camera.ndjson": draws(1, 2), "shoe.ndjson": draws(1, 2)})
    assert counts(found) == [(0, 0, 2), (2, 0, 0)]


def test_a_part_that_overlaps_another_says_nothing() -> None:
    found = day({"shoe-1.ndjson": draws(1, 2, 3), "shoe-2.ndjson": draws(2, 3, 4)})
    assert counts(found) == [(3, 0, 0), (1, 2, 0)]
    assert found.findings == []


def test_it_does_not_matter_how_the_other_file_writes_its_json() -> None:
    given_lines = [json.loads(each) for each in draws(1, 2, 3, shoe="S").splitlines()]
    spaced = "".join(json.dumps(dict(reversed(each.items())), indent=None) + "\r\n" for each in given_lines).encode()
    assert day({"shoe-1.ndjson": draws(1, 2, 3, shoe="S"), "shoe-2.ndjson": spaced}).findings == []


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ({"by": "S9", "n": 61}, {"by": ["S9"], "n": [61]}, True),
        ({"by": ["S9"], "n": [61, 62]}, {"by": "S9", "n": [61, 62]}, True),
        ({"by": "S9"}, {"by": ["S9", "S8"]}, False),
        ({"by": "S9"}, {"by": ["S8"]}, False),
        ({"n": 61}, {"n": [62]}, False),
        ({"exposed": True}, {"exposed": False}, False),
        ({"exposed": None}, {}, True),
        ({"ruling": "continue"}, {"ruling": ["continue"]}, True),
    ],
)
def test_one_value_is_a_list_of_one(one: dict[str, Any], other: dict[str, Any], is_same: bool) -> None:
    lines = [line("irregularity", {"code": "deal.drawn-in-error"} | each, seq=1) for each in (one, other)]
    found = day({"terminal-1.ndjson": lines[0], "terminal-2.ndjson": lines[1]})
    assert counts(found) == [(1, 0, 0), (0, 1, 0)]
    assert (found.findings == []) == is_same


def test_a_line_twice_in_a_file_or_with_other_content_is_noted_and_the_first_stands() -> None:
    found = day(
        {
            "shoe-1.ndjson": draws(1, 2, 2, 3, 4),
            "shoe-2.ndjson": draws(4, card="8S") + draws(5, 5, 6),
        }
    )
    assert counts(found) == [(4, 1, 0), (2, 2, 0)]
    assert noted(found) == [("duplicate", "shoe-1.ndjson", 3, "3 events received more than once: 2, 4-5")]
    assert {row["card"] for row in told(found.lines)} == {"7S"}


def test_gaps_are_noted_once_per_device() -> None:
    found = day(
        {
            "shoe-1.ndjson": draws(2, 3, 5, device="A") + draws(0, 1, device="B"),
            "shoe-2.ndjson": draws(10, device="A") + draws(3, device="B"),
            "terminal.ndjson": line("close", {}, seq=1),
        }
    )
    assert noted(found) == [
        ("sequence-gap", "shoe-1.ndjson", 1, "6 events are missing: 1, 4, 6-9 (device A)"),
        ("sequence-gap", "shoe-2.ndjson", 2, "1 event is missing: 2 (device B)"),
    ]
    assert [(each.device, each.said["count"]) for each in found.findings] == [("shoe A", 6), ("shoe B", 1)]


def test_many_gaps_are_told_in_short() -> None:
    note = day({"shoe.ndjson": draws(*range(1, 200, 2), 1 << 50)}).findings[0]
    assert note.message.startswith(f"{99 + (1 << 50) - 200:,} events are missing: 2, 4, 6,")
    assert note.message.endswith(f" 24 and {99 - 12 + (1 << 50) - 200} more")


def test_a_fault_belongs_to_the_device_of_its_file_or_of_its_source() -> None:
    fault = line("fault", {"device": "shuffler"}, seq=2)
    alone = line("repaired", {"device": "shuffler"}, seq=4)
    found = day({"shoe-1.ndjson": draws(1, device="A") + fault + draws(3, device="A"), "shoe-2.ndjson": alone})
    assert [row["stream"] for row in told(found.lines)] == ["A"] * 4
    assert [row["device"] for row in told(found.lines)] == ["A", "shuffler", "A", "shuffler"]
    assert found.findings == []
    several = day({"shoe-1.ndjson": draws(1, device="A") + fault + draws(1, device="B")})
    assert [row["stream"] for row in told(several.lines)] == ["", "A", "B"]


def test_no_files_and_no_lines() -> None:
    assert len(gather([]).lines) == 0
    assert counts(day({"shoe.ndjson": b"", "terminal.ndjson": b"#\n"})) == [(0, 0, 0), (0, 0, 1)]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 8), st.sampled_from(["7S", "8S"]), st.integers(0, 2)), max_size=30),
    st.sampled_from(["", "A"]),
)
def test_the_first_of_each_number_stands_and_nothing_is_lost(picked: list[tuple[int, str, int]], device: str) -> None:
    files = {f"shoe-{n}.ndjson": b"" for n in range(3)}
    expected: dict[int, str] = {}
    odd: set[int] = set()
    for part in range(3):
        seen: set[int] = set()
        for seq, card, where in picked:
            if where == part:
                files[f"shoe-{part}.ndjson"] += draws(seq, card=card, device=device)
                odd |= {seq} if expected.setdefault(seq, card) != card or seq in seen else set()
                seen.add(seq)
    if len(set(files.values()) - {b""}) < sum(data != b"" for data in files.values()):
        return  # a file that came again, which is another matter
    found = day(files)
    assert {row["seq"]: row["card"] for row in told(found.lines)} == expected
    assert sum(file.accepted for file in found.files) == len(expected)
    assert sum(file.lines for file in found.files) == len(picked)
    notes = {note.code: note for note in found.findings}
    assert ("evidence.duplicate" in notes) == bool(odd)
    assert not odd or notes["evidence.duplicate"].said["count"] == len(odd)
    missing = set(range(1, max(expected, default=0))) - set(expected)
    assert not missing or notes["evidence.sequence-gap"].said["count"] == len(missing)


def zone_files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.glob("*/*/*")}


@pytest.mark.parametrize(
    "form", [landing.Form(3), landing.Form(12, "gz"), landing.Form(2, "zst"), landing.Form(2, "parquet")]
)
def test_a_day_is_the_same_in_every_form(form: landing.Form, tmp_path: Path) -> None:
    for name, each in (("plain", landing.PLAIN), ("other", form)):
        test_evidence.material(form=each).write(tmp_path / name)
    table = test_evidence.material().names.table
    plain, other = (day(zone_files(tmp_path / name), table) for name in ("plain", "other"))
    assert len(plain.lines) > 500
    assert told(other.lines) == told(plain.lines)
    assert other.lines.words == plain.lines.words or form.compression == "parquet"
    assert plain.findings == other.findings == []
    # And together, every event still counts once.
    both = day(
        {f"{name}/{path}": data for name in ("plain", "other") for path, data in zone_files(tmp_path / name).items()},
        table,
    )
    assert told(both.lines) == told(plain.lines)
    assert both.findings == []


@pytest.mark.parametrize("code", ["evidence.sequence-gap", "evidence.duplicate"])
@pytest.mark.parametrize("form", [landing.PLAIN, landing.Form(3, "gz")])
def test_what_was_planted_is_noted_with_its_file(code: str, form: landing.Form, tmp_path: Path) -> None:
    for seed in range(4):
        spoilt = test_evidence.material(form=form)
        assert test_evidence.act(code, spoilt, seed)
        spoilt.write(tmp_path / str(seed))
        found = day(zone_files(tmp_path / str(seed)), spoilt.names.table).findings
        assert [(note.code, note.path) for note in found] == [(code, truth.path) for truth in spoilt.truth]


def test_disorder_is_found_line_by_line(tmp_path: Path) -> None:
    landing_zone(tmp_path)
    plain = {folder: day(files_of(folder), folder.name) for folder in tmp_path.glob("2*/*")}
    kinds = ("truncated", "garbage", "foreign", "overlapping", "repeated")
    acts = disorder.apply(tmp_path, dict.fromkeys(kinds, 2), Random(3)).to_dicts()
    for folder, before in some(plain.items()):
        after = day(files_of(folder), folder.name)
        own = [act for act in acts if (tmp_path / act["path"]).parent == folder]
        cut = sum(act["what"] == "truncated" for act in own)
        assert len(after.lines) == len(before.lines) - cut
        bad = {act["path"]: len(act["lines"]) for act in own if act["what"] in ("truncated", "garbage", "foreign")}
        again = {act["path"]: len(act["lines"]) for act in own if act["what"] == "overlapping"}
        for file in after.files:
            path = f"{folder.relative_to(tmp_path).as_posix()}/{file.path}"
            assert file.quarantined == bad.get(path, 0)
            assert path not in again or file.repeated == again[path]
        assert after.findings == before.findings


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}
