"""One case of the campaign: a small floor over simulated days, with commands going on and faults drawn from a seed."""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Final

import httpx

from pipelines.commands.repair import RepairRequest as RepairRequest
from pipelines.commands.repair import repair
from pipelines.commands.verify import VerifyRequest, verify
from tests.dashboards.server import serving
from tests.torture import harm
from tests.torture.forked import Command, Forked, Look, Stop, look_of
from tests.torture.full import ENOUGH, disk, is_told, mount
from tests.torture.tally import Tally
from tests.torture.worker import Ended, Hung
from tests.torture.world import World, row_problems
from warehouse.evidence.report import Report
from warehouse.lake import Lake
from warehouse.retention import holds

ACTS: Final = 36
PAGES: Final = ("/triage", "/tables", "/audit", "/rounds/{round}")
KILL: Final = "killed process"
POWER: Final = "power cut"
FULL: Final = "full disk"
BACK: Final = "clock set back"
AHEAD: Final = "clock set ahead"
LATE: Final = "late file"
LIVE: Final = "while a command runs"
DURING: Final = {KILL: 5, POWER: 4, FULL: 4, BACK: 2, AHEAD: 1, LIVE: 3}
COMMANDS: Final = {"run": 6, "run table": 4, "dispute": 2, "hold": 2, "signoff": 1, "repair": 1}
_POLICY: Final = 'name = "House policy"\nraw_days = 30\n'
_DAY_S: Final = 86_400


class Case:
    """A landing zone that fills, its lake, and all that happens to them."""

    def __init__(self, world: World, number: int, forked: Forked, tally: Tally, acts: int = ACTS) -> None:
        self.world = world
        self.number = number
        self.forked = forked
        self.tally = tally
        self.acts = acts
        self.chance = Random(f"{world.seed}/{number}")
        self.folder = world.folder / f"case-{number}"
        self.zone, self.out = self.folder / "zone", self.folder / "out"
        self.lake = self.folder / "disk" / "lake"
        self.key = self.folder / "keys" / "key.pem"
        self.told = ""  # what is going on, for whoever reads of a problem
        self.log = b""  # whole entries that were seen once: they stay
        self.held: set[str] = set()  # rounds that were held when the command had ended
        self.bundles: list[Path] = []
        self.client: httpx.Client | None = None
        self.problems: list[str] = []
        self.arriving = self._timetable()

    def _timetable(self) -> dict[int, list[str]]:
        """Return the landing files that arrive before or during each act; one day is there from the start."""
        arriving: dict[int, list[str]] = {}
        for path in self.world.files:
            if path in self.world.late or not path.startswith(self.world.days[0]):
                day = self.world.days.index(path[:10])
                act = self.acts * day // 3 + (self.chance.randrange(self.acts // 2) if path in self.world.late else 1)
                arriving.setdefault(act, []).append(path)
        return arriving

    def play(self) -> None:
        """The whole case; problems are added to the tally."""
        self.folder.mkdir()
        self.out.mkdir()
        self.zone.mkdir()
        (self.folder / "policy.toml").write_text(_POLICY)
        coming = {path for paths in self.arriving.values() for path in paths}
        self._arrive([path for path in self.world.files if path not in coming])
        shutil.copy(self.world.landing / "floor.toml", self.zone)
        os.environ["AUDIT21_KEY"] = str(self.key)
        with ExitStack() as open_until_the_end:
            if self.tally.has_small_disk:
                open_until_the_end.enter_context(disk(self.lake.parent, ENOUGH))
            else:
                self.lake.parent.mkdir()
            try:
                self._happen()
            except Hung:
                raise
            except Exception as error:  # of the campaign or of the product: whoever repeats the case will see
                self._problem(f"{type(error).__name__}: {error}")
        self.tally.cases += 1
        self.tally.problems += [f"case {self.number}, {problem}" for problem in self.problems]
        if not self.problems:
            shutil.rmtree(self.folder)

    def _happen(self) -> None:
        """One act after the other, as far as nothing goes wrong."""
        with ExitStack() as serving_until:
            for act in range(self.acts):
                self._serve(serving_until)
                self._act(act)
                if self.problems:
                    return
            self._finish()
        self.client = None
        if not self.problems:
            self._retain()

    def _problem(self, text: str) -> None:
        self.problems.append(f"{self.told}: {text}")
        if self.lake.exists() and len(self.problems) == 1:  # the disk is in memory
            shutil.copytree(self.lake, self.folder / "lake-then")

    def _arrive(self, paths: list[str], during: str = "") -> None:
        for path in paths:
            (self.zone / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(self.world.landing / path, self.zone / path)
            if path in self.world.late:
                self.tally.add(LATE, f"published in the end{during}")

    def _serve(self, until: ExitStack) -> None:
        """Start the web server once something is published."""
        if self.client is None and (self.lake / "snapshots/_delta_log/00000000000000000000.json").exists():
            server = until.enter_context(
                serving(self.lake, self.lake / "cases.db", people={"ann": ["surveillance", "audit"]})
            )
            self.client = until.enter_context(server.client("ann"))

    # Acts.

    def _act(self, act: int) -> None:
        self.told = f"act {act}"
        arriving = self.arriving.pop(act, [])
        is_early = self.chance.random() < 0.5
        if is_early:
            self._arrive(arriving)
        if (self.lake / "evidence").exists() and self.chance.random() < 0.5:
            self._damage_at_rest()
        else:
            self._command(() if is_early else arriving)
        self._arrive([path for path in arriving if not (self.zone / path).exists()])
        self._check()

    def _rounds(self) -> list[str]:
        lake = Lake(self.lake)
        found = lake.read("rounds")["round_id"].to_list() if lake.snapshot().number else []
        return sorted(found)

    def _draw_command(self) -> str:
        names = list(COMMANDS) if self._rounds() else ["run"]
        return self.chance.choices(names, [COMMANDS[name] for name in names])[0]

    def _asked(self, name: str, stop: int | None = None, ahead_s: float = 0) -> Command:
        lake = ("--lake", str(self.lake))
        arguments: dict[str, Callable[[], tuple[str, ...]]] = {
            "run": lambda: ("run", str(self.zone), *lake, "--quiet"),
            "run table": lambda: ("run", str(self.zone), *lake, "--quiet", "--table", self._table()),
            "dispute": lambda: ("dispute", self.chance.choice(self._rounds()), *lake, "--out", str(self.out)),
            "hold": lambda: ("hold", self.chance.choice(self._rounds()), *lake, "--by", "J. Doe", "--why", "case 1"),
            "signoff": lambda: ("signoff", self._rounds()[0].split("/")[1], *lake, "--by", "A. Auditor"),
            "repair": lambda: ("repair", str(self.lake)),
            "retain": lambda: (
                *("retain", str(self.zone), *lake, "--policy", str(self.folder / "policy.toml")),
                *("--by", "J. Doe", "--yes"),
            ),
        }
        return Command(arguments[name](), self.folder, self.key, stop, ahead_s)

    def _table(self) -> str:
        return self.chance.choice(sorted({round_id.split("/")[0] for round_id in self._rounds()}))

    def _command(self, arriving: list[str] | tuple[()], name: str | None = None) -> Ended | None:
        """A command with a fault at some moment of it; how it ended, None where it was killed."""
        name = name or self._draw_command()
        faults = {fault: weight for fault, weight in DURING.items() if fault != FULL or self.tally.has_small_disk}
        fault = self.chance.choices(list(faults), list(faults.values()))[0]
        stop = int(self.world.operations[name] * self.chance.random() ** 1.5)
        asked = self._asked(name, stop)
        self.told += f", {' '.join(asked.arguments[:2])}, {fault} at operation {stop}"
        before = _looks(self.folder)
        found = self.forked.begin(asked)
        if isinstance(found, Ended):
            self._judge(asked, found)
            return found
        self.told += f" ({found.operation} {found.path})"
        self._arrive(list(arriving), " after it came during a command")
        self._look()
        return self._strike(fault, asked, found, before)

    def _strike(self, fault: str, asked: Command, stop: Stop, before: set[Look]) -> Ended | None:
        if fault in (KILL, POWER):
            self.forked.kill()
            lost = _lose_unsynced(self.folder, before | stop.synced, self.chance) if fault == POWER else 0
            self._tell_kill(fault, lost)
            return None
        if fault == FULL:
            return self._fill(asked)
        if fault in (BACK, AHEAD):
            return self._jump(fault, asked)
        return self._damage_live(asked)

    def _tell_kill(self, fault: str, lost: int) -> None:
        report = self._report()
        after = f", {lost} unsynced files torn" if lost else ""
        if report is None:
            self.tally.add(fault, "nothing was recorded yet")
        elif report.differences:
            self._problem(f"verify takes it for tampering{after}: {report.differences[:3]}")
        else:
            named = "verify calls it unfinished" if report.unfinished else ""
            self.tally.add(fault, named or "nothing of it counts yet", bool(named))

    def _fill(self, asked: Command) -> Ended:
        """Only so much room is left from here on."""
        status = os.statvfs(self.lake.parent)
        used = (status.f_blocks - status.f_bfree) * status.f_frsize
        room = int(4096 * 2 ** (10 * self.chance.random())) - 4096
        mount("-o", f"remount,size={used + room}", str(self.lake.parent))
        ended = self.forked.go_on()
        mount("-o", f"remount,size={ENOUGH}", str(self.lake.parent))
        if ended.exit_code == 0:
            self._judge(asked, ended)
            return ended
        self.tally.add(FULL, "told in one line", True)
        if ended.exit_code != 1 or not _is_clear(ended) or not is_told(ended.errors):
            self._problem(f"{room} bytes left, and not one clear line: {ended}")
        return ended

    def _jump(self, fault: str, asked: Command) -> Ended:
        """The clock is set while a command runs; the next command has the right one again."""
        by = self.chance.choice((1, 60, 3600, _DAY_S, 400 * _DAY_S)) * (0.5 + self.chance.random())
        behind = self._notes("the clock was set back")
        ended = self.forked.go_on(-by if fault == BACK else by)
        self._judge(asked, ended)
        noted = self._notes("the clock was set back") > behind
        harmless = "times still grow" if fault == AHEAD else "no entry was written by that clock"
        self.tally.add(fault, "recorded in the log, and verify notes it" if noted else harmless, noted)
        return ended

    def _notes(self, text: str) -> int:
        report = self._report()
        return sum(text in note for note in report.notes) if report else 0

    def _judge(self, asked: Command, ended: Ended) -> None:
        """A command that nothing prevents does what it should."""
        self.tally.commands[asked.arguments[0]] += 1
        if ended.exit_code:
            self._problem(f"exit code {ended.exit_code}: {ended.errors or ended.output}")
        elif asked.arguments[0] in ("hold", "dispute"):
            self.held.add(asked.arguments[1])
        if ended.exit_code == 0 and asked.arguments[0] == "dispute":
            self.bundles.append(Path(ended.output.split()[-1]))

    # Damage.

    def _damage_at_rest(self) -> None:
        target = harm.draw(self.lake, self.chance)
        if target is None:
            return
        way = self.chance.choices(list(harm.WAYS), harm.WEIGHTS)[0]
        self.told += f", {way} in {target.path}"
        reason, evidence = harm.reason(self.lake, target), harm.evidence(self.lake)
        before, after = harm.apply(self.lake / target.path, way, self.chance)
        if before == after:
            return
        is_named = self._expect_named(way, target, reason)
        if self.chance.random() < 0.3:
            self._command_on_damage()
            left = harm.evidence(self.lake) if target.kind != "evidence log" else {**evidence}
            changed = [p for p in evidence if p != target.path and harm.read(self.lake / p) != evidence[p]]
            if changed or len(left) < len(evidence) - 1:
                self._problem(f"evidence was removed or changed because of it: {changed}")
        if is_named or reason is None:
            self._recover(target, before, after)

    def _expect_named(self, way: str, target: harm.Target, reason: str | None) -> bool:
        """Count damage by what ``verify`` says of it; whether it names it."""
        kind = f"{way}: {target.kind}"
        report = self._report()
        assert report is not None
        if harm.is_named(target, report):
            self.tally.add(kind, "verify names it", True)
            return True
        if reason is None and harm.is_unfinished(target, report):
            self.tally.add(kind, "unfinished work of a killed command, completed later")
        elif reason is not None and not report.differences:
            self.tally.add(kind, reason)
        else:
            found = f"{len(report.differences)} other differences: {report.differences[:2]}"
            self._problem(f"verify does not name it ({reason}); {found if report.differences else 'all is well'}")
        return False

    def _command_on_damage(self) -> None:
        """Whatever a command does about damage, it ends with clear lines."""
        name = self._safe_command()
        asked = self._asked(name)
        self.told += f", then {asked.arguments[0]}"
        ended = self.forked.run(asked)
        if ended.exit_code not in (0, 1, 2) or (ended.exit_code and not _is_clear(ended)):
            self._problem(f"not a clear line: {ended}")
        elif ended.exit_code == 0 and name in ("hold", "dispute"):
            self.held.add(asked.arguments[1])
            if name == "dispute":
                self.bundles.append(Path(ended.output.split()[-1]))

    def _safe_command(self) -> str:
        try:
            return self._draw_command()
        except Exception:  # the damage is where the rounds are read
            return "run"

    def _recover(self, target: harm.Target, before: bytes, after: bytes | None) -> None:
        """Repair what follows from the log; the rest comes from a backup."""
        path = self.lake / target.path
        found = harm.read(path)
        if found is not None and after and target.kind == "evidence log" and len(after) == len(before):
            before += found[len(before) :]  # entries that a command has appended meanwhile
        elif found != after:  # a command has made it anew
            return
        if target.kind in harm.DERIVED:
            result = repair(RepairRequest(self.lake))
            if result.damaged:
                self._problem(f"not repaired: {result.damaged[:3]}")
        else:
            harm.write(path, before)

    def _damage_live(self, asked: Command) -> Ended:
        """A file is damaged while a command runs, which may refuse it, replace it, or not need it."""
        target = harm.draw(self.lake, self.chance) if self.lake.exists() else None
        if target is None or target.kind == "temporary file":
            ended = self.forked.go_on()
            self._judge(asked, ended)
            return ended
        way = self.chance.choices(list(harm.WAYS), harm.WEIGHTS)[0]
        self.told += f", {way} in {target.path}"
        before, after = harm.apply(self.lake / target.path, way, self.chance)
        ended = self.forked.go_on()
        if ended.exit_code and not _is_clear(ended):
            self._problem(f"not a clear line: {ended}")
        if harm.read(self.lake / target.path) != after and target.kind != "evidence log":
            self.tally.add(f"{way}: {target.kind}", "replaced or removed by the command itself")
        else:
            self._expect_live(way, target, before, after)
        return ended

    def _expect_live(self, way: str, target: harm.Target, before: bytes, after: bytes | None) -> None:
        reason = harm.reason(self.lake, target)
        if reason is None or self._report_differs():
            self._expect_named(way, target, reason)
            self._recover(target, before, after)
        else:
            self.tally.add(f"{way}: {target.kind}", reason)

    def _report_differs(self) -> bool:
        report = self._report()
        return report is not None and bool(report.differences)

    # What is looked at.

    def _report(self) -> Report | None:
        """Return the report of ``verify``; None if there is no evidence in the lake yet."""
        self.tally.verified += 1
        return verify(VerifyRequest(self.lake, quiet=True)) if (self.lake / "evidence").is_dir() else None

    def _look(self) -> None:
        """Others look at the lake while a command is held at some moment."""
        report = self._report()
        if report is not None and report.differences:
            self._problem(f"verify, in the middle of a command: {report.differences[:3]}")
        self._visit()

    def _visit(self) -> None:
        if self.client is None:
            return
        page = self.chance.choice(PAGES).format(round=self.chance.choice(self.world.rounds))
        answer = self.client.get(page, follow_redirects=True)
        self.tally.pages += 1
        if answer.status_code != 200 and not (answer.status_code == 404 and page.startswith("/rounds/")):
            self._problem(f"{page}: {answer.status_code} {answer.text:.300}")

    def _check(self) -> None:
        """Between acts, with all damage recovered: nothing differs, and no entry is gone."""
        report = self._report()
        if report is None or self.problems:
            return
        if report.differences:
            self._problem(f"verify finds {report.differences[:3]}")
        log = (self.lake / "evidence/log.ndjson").read_bytes() if report.entries else b""
        if not log.startswith(self.log):
            self._problem("entries of the evidence log are gone")
        self.log = log[: log.rfind(b"\n") + 1]

    # The end.

    def _finish(self) -> None:
        """All files have come, and nothing disturbs the run."""
        self.told = "at the end"
        self._arrive([path for path in self.world.files if not (self.zone / path).exists()])
        for name in ("run", "repair", "run"):
            asked = self._asked(name)
            ended = self.forked.run(asked)
            self._judge(asked, ended)
        self._check()
        report = self._report()
        if report is None or report.unfinished:
            self._problem(f"still unfinished: {report and report.unfinished}")
        self.problems += [f"at the end: {each}" for each in self._lost()]

    def _lost(self) -> Iterator[str]:
        yield from row_problems(self.lake, self.world.rows)
        for path in self.world.files:
            if not (self.lake / "raw" / _sha256(self.world.landing / path)).is_file():
                yield f"{path} is not in custody"
        if missing := self.held - holds.in_force(self.lake).keys():
            yield f"holds are gone: {sorted(missing)}"
        for bundle in self.bundles:
            if differences := verify(VerifyRequest(bundle, quiet=True)).differences:
                yield f"{bundle.name}: {differences[:3]}"
        if left := harm.targets(self.lake).get("temporary file"):
            yield f"left behind: {left}"

    def _retain(self) -> None:
        """Retention removes what is old and not held, whatever disturbs it; rows and held files stay."""
        keep = self.chance.choice(self.world.rounds)
        holds_it = self._asked("hold")
        self._judge(holds_it, self.forked.run(holds_it._replace(arguments=("hold", keep, *holds_it.arguments[2:]))))
        scopes = {hold.scope for hold in holds.in_force(self.lake).values()}
        for attempt in range(4):
            self.told = f"retention {attempt}"
            self._command((), "retain")
            self._check()
        self.told = "after retention"
        for name in ("retain", "run"):
            asked = self._asked(name)
            self._judge(asked, self.forked.run(asked))
        self._check()
        for path in self.world.files:
            table = (path.split("/")[0], path.split("/")[1])
            is_there = (self.lake / "raw" / _sha256(self.world.landing / path)).is_file()
            if is_there != (table in scopes) or (self.zone / path).exists() != (table in scopes):
                self._problem(f"{path} is {'there' if is_there else 'gone'}; held are {sorted(scopes)}")
        self.problems += [f"after retention: {each}" for each in row_problems(self.lake, self.world.rows)]


def _is_clear(ended: Ended) -> bool:
    """Lines for people and no traceback; ``verify`` and ``repair`` say it on standard output."""
    lines = ended.errors.splitlines()
    return "Traceback" not in ended.errors and (bool(lines) or bool(ended.output.strip()))


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files that a power cut may damage: the lake and keys, without the server's database."""
    for name in ("disk", "keys"):
        for place, _, names in os.walk(folder / name):
            yield from (Path(place, each) for each in names if not each.startswith("cases.db"))


def _looks(folder: Path) -> set[Look]:
    return {look_of(path.lstat()) for path in _files(folder)}


def _lose_unsynced(folder: Path, durable: set[Look], chance: Random) -> int:
    """Cut what a command has written and not brought to the disk; how many files that were."""
    kept: dict[int, int] = {}
    for inode, size, _ in durable:
        kept[inode] = max(size, kept.get(inode, 0))
    lost = 0
    for path in sorted(_files(folder)):
        look = look_of(status := path.lstat())
        if look in durable or not status.st_size:
            continue
        least = kept.get(status.st_ino, 0)
        least = least if least <= status.st_size else 0
        data = path.read_bytes()
        harm.write(path, data[: least + int(chance.random() * (len(data) - least))])
        lost += 1
    return lost
