"""Every way in which the tests tamper with a lake and forge a bundle, and by which verifiers each was found."""

import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple
from xml.etree import ElementTree

import pytest
from rich.progress import Progress

_ROOT: Final = Path(__file__).parents[2]
_LAKE: Final = "tests/pipelines/test_tampering.py"
_BUNDLE: Final = "tests/dashboards/packets/test_forgeries.py"
_PAGE: Final = "tests/dashboards/packets/test_page_forgeries.py"
_ARCHIVE: Final = "tests/dashboards/packets/test_archives.py"
COMMAND: Final = "audit21 verify"
SCRIPT: Final = "verify.sh"
PAGE: Final = "packet.html"
VERIFIERS: Final = (COMMAND, SCRIPT, PAGE)


class Attack(NamedTuple):
    """A test of which every case is a try, what it tries, and who has to find it. No verifier: it does no harm."""

    test: str
    kind: str
    verifiers: tuple[str, ...]

    def kind_of(self, case: str) -> str:
        """The kind of a case: for lakes what it changes, as its name begins."""
        return f"{self.kind}: {case.partition(':')[0]}" if self.test.startswith(_LAKE) else self.kind


_BOTH: Final = (COMMAND, SCRIPT)
ATTACKS: Final = (
    Attack(f"{_LAKE}::test_tampering_is_found_and_no_run_deletes_evidence", "lake", (COMMAND,)),
    Attack(f"{_LAKE}::test_what_is_no_evidence_may_go", "lake, harmless", ()),
    Attack(f"{_BUNDLE}::test_a_forgery_without_the_key_is_found", "bundle: without the key", _BOTH),
    Attack(f"{_PAGE}::test_a_forgery_without_the_key_is_found", "bundle: without the key", (PAGE,)),
    Attack(f"{_BUNDLE}::test_parts_of_another_bundle_are_found", "bundle: parts of another", _BOTH),
    Attack(f"{_BUNDLE}::test_a_packet_that_was_never_issued_is_found", "bundle: never issued", _BOTH),
    Attack(f"{_PAGE}::test_a_packet_that_was_never_issued_is_found", "bundle: never issued", (PAGE,)),
    Attack(f"{_BUNDLE}::test_what_the_property_cannot_prove_is_found", "bundle: not provable", _BOTH),
    Attack(f"{_PAGE}::test_what_the_property_cannot_prove_is_found", "bundle: not provable", (PAGE,)),
    Attack(
        f"{_BUNDLE}::test_a_random_change_of_what_the_manifest_does_not_list_is_found", "bundle: random changes", _BOTH
    ),
    Attack(
        f"{_PAGE}::test_a_random_change_of_what_the_manifest_does_not_list_is_found", "bundle: random changes", (PAGE,)
    ),
    Attack(f"{_ARCHIVE}::test_an_archive_that_can_be_read_in_two_ways_is_refused", "archive: two readings", (COMMAND,)),
    Attack(f"{_PAGE}::test_an_archive_that_can_be_read_in_two_ways_is_refused", "archive: two readings", (PAGE,)),
    Attack(f"{_PAGE}::test_an_archive_that_no_bundle_is_gets_refused", "archive: damaged or hostile", (PAGE,)),
)


@dataclass
class TamperingTally:
    """Tries and what was found of them, by kind and verifier."""

    tries: Counter[tuple[str, str]] = field(default_factory=Counter)
    found: Counter[tuple[str, str]] = field(default_factory=Counter)
    harmless: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def take(self, result: ElementTree.Element) -> None:
        """Count a try; one that could not even begin was not found."""
        place = f"{result.attrib['classname'].replace('.', '/')}.py"
        test, _, case = result.attrib["name"].removesuffix("]").partition("[")
        attack = next(each for each in ATTACKS if each.test == f"{place}::{test}")
        is_found = not len(result)
        for verifier in attack.verifiers:
            self.tries[attack.kind_of(case), verifier] += 1
            self.found[attack.kind_of(case), verifier] += is_found
        if not attack.verifiers:
            self.harmless.append(case)
        if not is_found:
            self.problems.append(f"{place}::{test}[{case}]: {result[0].attrib.get('message', ''):.300}")

    def table(self) -> str:
        """Kinds with tries and finds by verifier; harmless ones with the reason."""
        from tests.pipelines.test_tampering import HARMLESS

        kinds = list(dict.fromkeys(kind for kind, _ in self.tries))
        rows = [(kind, [self._cell(verifier, kind) for verifier in VERIFIERS]) for kind in kinds]
        rows.append(("all", [self._cell(verifier, *kinds) for verifier in VERIFIERS]))
        lines = [f"{kind:32}" + "".join(f"{cell:>17}" for cell in cells) for kind, cells in rows]
        head = f"{'found of tries by':32}" + "".join(f"{verifier:>17}" for verifier in VERIFIERS)
        return "\n".join([head, *lines, *(f"harmless: {case}: {HARMLESS[case][1]}" for case in self.harmless)])

    def _cell(self, verifier: str, *kinds: str) -> str:
        tries, found = (sum(counter[kind, verifier] for kind in kinds) for counter in (self.tries, self.found))
        return f"{found} of {tries}" if tries else "–"

    def __str__(self) -> str:
        told = f"{len(self.problems)} problems" if self.problems else "all found"
        return f"{self.tries.total()} checks of tampered lakes and bundles, {told}\n{self.table()}"


def torture(folder: Path, _times: int, _seed: int, progress: Progress) -> TamperingTally:
    """Run the tests that tamper, in a process of their own, and count."""
    task = progress.add_task("tampering", total=1)
    results = folder / "results.xml"
    command = [sys.executable, "-m", "pytest", "-qq", "-n", "0", "--no-header", "--no-summary", f"--junitxml={results}"]
    tests = [attack.test for attack in ATTACKS]
    done = subprocess.run([*command, *tests], cwd=_ROOT, stdout=subprocess.DEVNULL, check=False)
    tally = TamperingTally()
    if done.returncode not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        tally.problems.append(f"the tests could not be run: pytest ended with {done.returncode}")
        return tally
    for result in ElementTree.parse(results).getroot().iter("testcase"):
        tally.take(result)
    progress.advance(task)
    return tally
