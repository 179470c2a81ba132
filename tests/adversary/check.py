"""Self-check: python -m tests.adversary.check OUT re-reads a landing zone with its truth and complains."""

import json
import sys
import tomllib
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from tests.adversary.check_laid import check_laid
from tests.adversary.check_money import check_money
from tests.adversary.check_rules import Line, Replay


def read_lines(path: Path) -> list[Line]:
    """Return the lines of a file."""
    return [json.loads(x) for x in path.read_text().splitlines()]


class DayCheck:
    """Checks one table-day."""

    def __init__(self, out: Path, day: str, table: dict[str, Any], truth: dict[str, pl.DataFrame]) -> None:
        self.table, self.day, self.bad = table, day, []
        mine = (pl.col("table") == table["id"]) & (pl.col("gaming_day") == day)
        self.truth = {k: v.filter(mine) for k, v in truth.items()}
        self.lines: list[Line] = []
        self.lossy = self.truth["outages"].height > 0
        for source in ("terminal", "shoe"):
            lines = read_lines(out / day / table["id"] / f"{source}.ndjson")
            times = dict(
                self.truth["order"]
                .filter((pl.col("source") == source) & ~pl.col("lost"))
                .select("seq", "true_ms")
                .iter_rows()
            )
            for x in lines:
                x["ms"], x["source"] = times[x["seq"]], source
            seqs = [x["seq"] for x in lines]
            if not self.lossy and seqs != list(range(1, len(lines) + 1)):
                self.bad.append(f"{source}: seq not contiguous")
            self.lines += lines
        self.lines.sort(key=lambda x: x["ms"])

    def run(self) -> tuple[int, int, Counter[str]]:
        """Check the day; return clean rounds checked, rounds, and counts of what was seen."""
        if not self.lossy:
            self.shoes()
        return self.rounds()

    def shoes(self) -> None:
        """Check each shoe: order, composition, cut card, burns."""
        total = 48 * self.table["decks"]
        shoe, count, cut = "", 0, None
        seen: Counter[str] = Counter()
        for x in self.lines:
            if x["type"] == "shoe_loaded":
                shoe, count, cut, seen = x["shoe"], 0, None, Counter()
                if x["cards"] != total:
                    self.bad.append(f"{shoe}: {x['cards']} cards loaded")
            elif x["type"] == "draw":
                count += 1
                seen[x["card"]] += 1
                if (x["shoe"], x["n"]) != (shoe, count):
                    self.bad.append(f"{shoe}: draw {x['n']} of {x['shoe']} where {count} was expected")
                if (
                    x["card"][0] not in "A23456789JQK"
                    or x["card"][1] not in "SHDC"
                    or seen[x["card"]] > self.table["decks"]
                ):
                    self.bad.append(f"{shoe}: card {x['card']} number {seen[x['card']]}")
            elif x["type"] == "cut_card":
                cut = x["n"]
                low, high = (total / 2, total) if self.table["rulebook"].startswith("div15") else (0, total * 3 / 4)
                if x["n"] != count or not low <= count <= high:
                    self.bad.append(f"{shoe}: cut card at {x['n']}, {count} drawn")
            elif x["type"] == "shoe_ended" and (x["shoe"] != shoe or x["remaining"] != total - count):
                self.bad.append(f"{shoe}: {x['remaining']} remaining after {count}")
            elif x["type"] == "bets_closed" and cut is not None:
                self.bad.append(f"{shoe}: round {x['round']} begun after the cut card")
        self.burns()

    def burns(self) -> None:
        """Check that exactly the prescribed burns lie between rounds."""
        md_ma = self.table["rulebook"].startswith(("md", "ma"))
        first = self.table["rulebook"].startswith(("md", "ma", "mbs")) or self.table["options"]["burn_first_card"]
        owed, inside = 0, False
        for x in self.lines:
            if x["type"] == "shoe_loaded":
                owed = int(first)
            elif x["type"] == "dealer_change" and md_ma and not inside:
                owed = 1
            elif x["type"] == "shoe_ended":
                owed = 0
            elif x["type"] == "bets_closed":
                inside = True
                if owed:
                    self.bad.append(f"round {x['round']}: no burn before it")
            elif x["type"] == "round_end":
                inside = False
            elif x["type"] == "draw" and not inside:
                owed -= 1
                if owed < 0:
                    self.bad.append(f"{x['shoe']} {x['n']}: unprescribed draw between rounds")

    def by_round(self) -> dict[str, list[Line]]:
        """Return the lines of each round; draws and reader results by their place between bets_closed and round_end."""
        out: dict[str, list[Line]] = defaultdict(list)
        current = ""
        for x in self.lines:
            if x["type"] == "bets_closed":
                current = x["round"]
            if "round" in x:
                out[x["round"]].append(x)
            elif current and x["type"] in ("draw", "hole_card_check"):
                out[current].append(x)
            if x["type"] == "round_end":
                current = ""
        return out

    def rounds(self) -> tuple[int, int, Counter[str]]:
        """Replay every clean round."""
        rows = {r["round"]: r for r in self.truth["rounds"].iter_rows(named=True)}
        classes = {k: r["class"] for k, r in rows.items()}
        drawn: dict[str, list[tuple[str, str, int]]] = defaultdict(list)
        for rnd, card, zone, pos in (
            self.truth["cards"]
            .filter(pl.col("round").is_not_null())
            .sort("true_ms")
            .select("round", "card", "zone", "position")
            .iter_rows()
        ):
            drawn[rnd].append((card, zone, pos))
        if self.lossy:
            return 0, len(classes), Counter()
        by_round = self.by_round()
        clean = 0
        seen: Counter[str] = Counter()
        for rnd, kind in classes.items():
            lines = by_round[rnd]
            seen[kind] += 1
            if [x["card"] for x in lines if x["type"] == "draw"] != [c for c, _, _ in drawn[rnd]]:
                self.bad.append(f"round {rnd}: draws and truth differ")
            if kind != "clean":
                complaints = check_laid(self.table, lines, drawn[rnd], rows[rnd])
                self.bad += [
                    f"round {rnd} ({self.table['rulebook']}) {kind} {rows[rnd]['variant']}: {b}" for b in complaints
                ]
                continue
            clean += 1
            self.replay(rnd, lines, drawn[rnd], seen)
        return clean, len(classes), seen

    def replay(self, rnd: str, lines: list[Line], drawn: list[tuple[str, str, int]], seen: Counter[str]) -> None:
        """Replay one clean round and count what it held."""
        p = Replay(self.table, lines)
        try:
            p.run()
            check_money(p)
        except (IndexError, KeyError, StopIteration, ValueError) as error:
            p.say(f"replay failed: {error!r}")
        self.bad += [f"round {rnd} ({self.table['rulebook']}): {b}" for b in p.bad]
        self.zones(rnd, p, drawn)
        seen.update(x["action"] for x in p.decisions)
        seen.update(x["kind"] for x in p.wagers)
        seen["21 with bonus cards"] += sum(h.value() == 21 and len(h.cards) > 4 for hs in p.hands.values() for h in hs)
        seen["three hands or more"] += sum(len(hs) > 2 for hs in p.hands.values())
        seen["dealer blackjack"] += (
            len(p.dealer) == 2
            and {c[0][0] in "JQK" for c in p.dealer} == {True, False}
            and "A" in {c[0][0] for c in p.dealer}
        )
        seen["draws"] += len(p.draws)
        seen["assign"] += len(p.assigns)

    def zones(self, rnd: str, p: Replay, drawn: list[tuple[str, str, int]]) -> None:
        """Compare the replay's hands with the truth's zones."""
        mine = {f"seat{s}.hand{h.number}": h.faces for s, hs in p.hands.items() for h in hs}
        mine["dealer"] = [c for c, _ in p.dealer]
        truth: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for card, zone, pos in drawn:
            truth[zone].append((pos, card))
        told = {z: [c for _, c in sorted(cs)] for z, cs in truth.items()}
        if told != mine:
            self.bad.append(f"round {rnd}: zones differ")


class Checked(NamedTuple):
    """The outcome of a self-check: rounds, clean rounds replayed, what was seen by rulebook, and complaints."""

    rounds: int
    clean: int
    seen: dict[str, Counter[str]]
    complaints: list[str]


def check_zone(out: Path) -> Checked:
    """Check a landing zone against its truth."""
    floor = tomllib.loads((out / "floor.toml").read_text())
    truth = {p.stem: pl.read_parquet(p) for p in (out / "truth").glob("*.parquet")}
    days = sorted(p.name for p in out.iterdir() if p.is_dir() and p.name != "truth")
    clean, rounds = 0, 0
    complaints: list[str] = []
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for day in days:
        for table in floor["table"]:
            check = DayCheck(out, day, table, truth)
            replayed, count, counts = check.run()
            clean, rounds = clean + replayed, rounds + count
            seen[table["rulebook"]] += counts
            complaints += [f"{day} {table['id']}: {text}" for text in check.bad]
    return Checked(rounds, clean, seen, complaints)


def main() -> None:
    """Check a landing zone and print what was found; exits 1 on complaints."""
    checked = check_zone(Path(sys.argv[1]))
    for text in checked.complaints[:100]:
        print(text)
    for book, counts in checked.seen.items():
        print(book, dict(sorted(counts.items())))
    print(f"{checked.rounds} rounds, {checked.clean} clean rounds replayed, {len(checked.complaints)} complaints")
    sys.exit(bool(checked.complaints))


if __name__ == "__main__":
    main()
