"""The packet's facts as the words and amounts that stand on paper."""

from datetime import date, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from dashboards.packets.timeline import zone_words
from replay.narrative import candidates, words
from replay.narrative.words import total_text
from replay.wording import capital, card_text, cards_text, money

Data = dict[str, Any]
NOT_RECORDED: Final = "not recorded"
_SOURCES: Final = {"terminal": "terminal", "shoe": "shoe", "camera": "camera"}
_UNLOGGED: Final = {"draw": "camera"}  # other lines that nobody logged are inferred
_AGREEMENT: Final = {"agree": "agree", "disagree": "DISAGREE", "one source": "one source", "not read": "not read"}


class View:
    """Texts of one packet for the template of the PDF."""

    def __init__(self, packet: Data) -> None:
        self.packet = packet
        self.zone = ZoneInfo(packet["property"].get("timezone") or "UTC")
        self.currency = packet["round"]["currency"]

    def data(self) -> Data:
        """Everything the template needs, as text."""
        packet = self.packet
        return {
            "round_id": packet["round_id"],
            "property": packet["property"].get("name") or NOT_RECORDED,
            "facts": self.facts(),
            "case": self.case(),
            "statements": [self.statement(each) for each in packet["case"]["statements"]],
            "deadlines": [[each["what"], self.day(each["by"]), each["basis"]] for each in packet["case"]["deadlines"]],
            "result": self.result(),
            "is_void": packet["round"]["void"],
            "settings": [self.setting(each) for each in packet["rulebook"]["settings"]],
            "steps": [self.step(each) for each in packet["steps"]],
            "legend": self.legend(),
            "cards": [self.card(each) for each in packet["cards"]],
            "settlements": [self.settlement(each) for each in packet["settlements"]],
            "totals": self.totals(),
            "reasons": [self.reason(each) for each in packet["settlements"]],
            "findings": [self.finding(each) for each in packet["findings"]],
            "considered": self.considered(),
            "around": [self.finding(each) for each in packet["findings_around"]],
            "clocks": [self.clock(each) for each in packet["clocks"]],
            "sources": [self.source(each) for each in packet["sources"]],
            "stills": [self.still(each) for each in packet["stills"]],
            "limits": packet["limits"],
            "redaction": self.redaction(),
            "evidence": self.evidence(),
            "currency": self.currency,
            "zone": self.zone_words(),
        }

    # Times.

    def moment(self, text: str) -> datetime:
        return datetime.fromisoformat(text).astimezone(self.zone)

    def zone_words(self) -> str:
        """Return the property's time zone with its UTC offset at the time of the round."""
        offset = self.moment(self.packet["round"]["started"]).isoformat()[-6:]
        return f"{self.zone.key}, UTC{offset}"

    def time(self, text: str | None) -> str:
        """Time of day at the property, to the millisecond."""
        return "" if text is None else self.moment(text).strftime("%H:%M:%S.%f")[:-3]

    def stamp(self, text: str | None) -> str:
        """Date and time at the property."""
        return NOT_RECORDED if text is None else self.moment(text).strftime("%-d %B %Y, %H:%M:%S")

    @staticmethod
    def day(text: str | None) -> str:
        return NOT_RECORDED if text is None else date.fromisoformat(text).strftime("%-d %B %Y")

    # The cover.

    def facts(self) -> list[list[str]]:
        """Return the facts of the round as rows of label and text."""
        packet, row, book = self.packet, self.packet["round"], self.packet["rulebook"]
        patrons = list(dict.fromkeys(each["patron"] for each in packet["settlements"] if each["patron"]))
        version = "undated" if book["version"] == "undated" else f"version {book['version']}"
        limits = f"{money(book['min_cents'])} to {money(book['max_cents'])} {book['currency']}"
        return [
            ["Property", packet["property"].get("name") or NOT_RECORDED],
            ["Table", f"{row['table']}: {book['decks']} decks, {book['boxes']} boxes, wagers of {limits}"],
            ["Gaming day", self.day(row["gaming_day"]) + (f", {row['shift']} shift" if row["shift"] else "")],
            ["Round", f"{row['round']}, {self.stamp(row['started'])} to {self.time(row['ended'])[:8] or NOT_RECORDED}"],
            ["Rulebook in force", f"{book['title']} ({book['id']}), {version}"],
            ["Dealer, as logged", row["dealer"] or NOT_RECORDED],
            ["Patrons, as logged", ", ".join(patrons) or NOT_RECORDED],
            ["Shoe", row["shoe"] or NOT_RECORDED],
            ["Evidence", row["evidence"].replace("+", ", ")],
            ["Times", f"at the property ({self.zone_words()})"],
        ]

    def case(self) -> list[list[str]]:
        """Return the dispute's data, with missing items marked as such."""
        case = self.packet["case"]
        card = f"card {case['patron']}" if case["patron"] else ""
        box = f"box {case['seat']}" if case["seat"] else ""
        complainant = ", ".join(filter(None, (case["patron_name"], card, box)))
        return [
            ["Case number", case["number"] or NOT_RECORDED],
            ["Complaint received", self.day(case["received"])],
            ["Complainant", complainant or NOT_RECORDED],
            ["Complaint", case["complaint"] or NOT_RECORDED],
            ["Packet asked for by", case["requested_by"] or NOT_RECORDED],
            ["Prepared by", case["prepared_by"] or NOT_RECORDED],
            *([["Prepared on", self.day(case["prepared_on"])]] if case["prepared_on"] else []),
            ["Outcome", (case["outcome"] or NOT_RECORDED) + self._on(case["outcome_on"])],
        ]

    def statement(self, each: Data) -> list[str]:
        """Return a statement as speaker, text and day."""
        return [each["who"], each["said"], self.day(each["on"]) if each["on"] else f"day {NOT_RECORDED}"]

    def _on(self, day: str | None) -> str:
        return f" ({self.day(day)})" if day else ""

    def result(self) -> list[str]:
        """Return the audit's result for the round, in a few sentences."""
        row, settled = self.packet["round"], self.packet["settlements"]
        considered = self.packet["considered"]
        found = [considered["lead"]] if considered["is_ambiguous"] else []
        if row["void"]:
            found.append("By the rulebook in force this round is void: every wager goes back.")
        elif row["void_logged"]:
            found.append("The floor called this round void; by the rulebook in force it stands.")
        open_ = sum(each["verdict"] == "undetermined" for each in settled)
        if open_:
            found.append(f"Of {len(settled)} settlements, {open_} cannot be determined from the evidence.")
        wrong = [each for each in settled if each["variance_cents"] or each["verdict"] in ("missing", "unexpected")]
        for each in wrong:
            verdict = "overpaid" if each["variance_cents"] > 0 else "underpaid"
            clause = f" (clause {each['clause']['number']})" if each["clause"] else ""
            amount = f"{money(abs(each['variance_cents']))} {each['currency']}"
            found.append(f"{capital(each['place'])}, {each['kind_name']}: {verdict} {amount}{clause}.")
        if not wrong and not open_:
            found.append("Every wager was settled as the rulebook in force prescribes.")
        if count := len(self.packet["findings"]):
            found.append(f"{count} finding{' is' if count == 1 else 's are'} on record for this round.")
        return found

    @staticmethod
    def setting(each: Data) -> str:
        default = "" if each["default"] is None else f" (default {words.setting_text(each['default'])})"
        return f"{each['kind']} {each['name']} = {words.setting_text(each['value'])}{default}"

    # The round.

    def step(self, each: Data) -> Data:
        line = each["line"]
        return {
            "number": str(each["step"]),
            "turn": capital(each["turn"]),
            "words": each["words"],
            "cards": cards_text(each["hand_cards"]),
            "total": "" if each["total"] is None else total_text(each["total"], each["soft"]),
            "clause": each["clause"]["number"] if each["clause"] else "",
            "n": str(each["n"]) if each["n"] else "",
            "source": _SOURCES[line["source"]] if line else _UNLOGGED.get(each["type"], "inferred"),
            "own": self.time(line["own_time"]) if line else "",
            "corrected": self.time(each["corrected"]),
            "line": str(line["line"]) if line else "",
            "marks": [f"{mark['code']}: {mark['message']}" for mark in each["findings"]],
        }

    def legend(self) -> list[list[str]]:
        """The clauses that steps cite, each once."""
        clauses = {each["clause"]["number"]: each["clause"]["says"] for each in self.packet["steps"] if each["clause"]}
        return [[number, says] for number, says in clauses.items()]

    def card(self, each: Data) -> Data:
        looks = each["sightings"]
        return {
            "step": str(each["step"]),
            "card": card_text(each["card"]) if each["card"] else "not read",
            "n": str(each["n"]) if each["n"] else "",
            "place": each["place"] or zone_words(each["zone"]),
            "shoe_time": self.time(each["shoe_time"]),
            "corrected": self.time(each["corrected"]),
            "looks": [self.look(look) for look in looks],
            "agreement": _AGREEMENT[each["agreement"]],
            "why": each["why"],
            "is_odd": each["agreement"] in ("disagree", "not read"),
        }

    def look(self, look: Data) -> list[str]:
        saw = card_text(look["card"]) if look["card"] else ("face down" if look["face"] == "down" else "not read")
        sure = "" if look["confidence"] is None else f" {look['confidence']:.0%}"
        return [self.time(look["own_time"]), f"{saw}{sure}{', sideways' if look['sideways'] else ''}"]

    # Money.

    def settlement(self, each: Data) -> Data:
        expected = each["expected_paid_cents"] - each["expected_taken_cents"]
        actual = each["actual_paid_cents"] - each["actual_taken_cents"]
        return {
            "place": each["place"],
            "kind": each["kind_name"],
            "stake": money(each["stake_cents"]) if each["stake_cents"] else "",
            "expected": "?" if each["verdict"] == "undetermined" else _signed(expected),
            "actual": _signed(actual),
            "difference": _signed(each["variance_cents"]) if each["variance_cents"] else "",
            "clause": each["clause"]["number"] if each["clause"] else "",
            "verdict": each["verdict"],
            "is_wrong": each["verdict"] not in ("correct", "undetermined"),
        }

    def totals(self) -> list[str]:
        rows = self.packet["settlements"]
        expected = sum(row["expected_paid_cents"] - row["expected_taken_cents"] for row in rows)
        actual = sum(row["actual_paid_cents"] - row["actual_taken_cents"] for row in rows)
        variance = sum(row["variance_cents"] for row in rows)
        stake = sum(row["stake_cents"] for row in rows)
        is_open = any(row["verdict"] == "undetermined" for row in rows)
        shown = "" if is_open else _signed(expected)
        return [money(stake), shown, _signed(actual), _signed(variance) if variance else ""]

    def reason(self, each: Data) -> Data:
        """Return the reasons for a wager's expected payment and collection."""
        stake = f", {money(each['stake_cents'])}" if each["stake_cents"] else ""
        patron = f", patron {each['patron']}" if each["patron"] else ""
        head = f"{capital(each['place'])}, {each['kind_name']}{stake}{patron}"
        is_wrong = bool(each["variance_cents"])
        return {"head": head, "verdict": each["verdict_words"], "rows": reason_rows(each), "is_wrong": is_wrong}

    # Irregularities and evidence.

    def finding(self, each: Data) -> Data:
        step = f", step {each['step']}" if each["step"] else ""
        sure = f", {each['certainty_words']}" if each["certainty_words"] else ""
        head = f"{each['code']} ({each['severity']}{step}{sure})"
        message, severity = capital(each["message"]), each["severity"]
        return {"head": head, "message": message, "rows": finding_rows(each), "severity": severity}

    def considered(self) -> Data:
        """The explanations that were considered for the round."""
        found = self.packet["considered"]
        return {
            "title": candidates.TITLE,
            "lead": found["lead"],
            "rest": found["rest"],
            "candidates": [self.candidate(each) for each in found["candidates"]],
        }

    def candidate(self, each: Data) -> Data:
        """Return an explanation with its weight, its remaining findings and the evidence against it."""
        left = [f"{left['message']} ({left['code']})" for left in each["leaves"]] or [candidates.NO_FINDING]
        amount = f" {self.currency}" if each["variance_cents"] else ""
        rows = [["Leaves", "\n".join(left)], ["Variance", capital(each["variance_words"]) + amount]]
        rows += [["Against", "\n".join(each["against"])]] if each["against"] else []
        return {
            "head": f"{each['rank']}. {each['summary']}",
            "weight": each["weight_words"],
            "standing": each["standing"],
            "rows": rows,
        }

    def clock(self, each: Data) -> list[str]:
        """A piece of a device's clock."""
        name = f"{each['source']} {each['device']}" if each["device"] else each["source"]
        span = [self.time(each["from"])[:8], self.time(each["until"])[:8]]
        if each["source"] == "terminal" and not each["offset_ms"]:
            return [name, *span, "the table's common clock", "", "", "", each["note"] or ""]
        return [
            name,
            *span,
            f"{_sign(each['offset_ms'])}{abs(each['offset_ms']) / 1000:.3f} s",
            f"{_sign(each['drift_ppm'])}{abs(each['drift_ppm']):.1f} ppm",
            f"± {each['uncertainty_ms'] / 1000:.3f} s" if each["sure"] else "insufficient data",
            f"{each['kept']:,} / {each['broken']:,}",
            each["note"] or "",
        ]

    @staticmethod
    def source(each: Data) -> list[str]:
        span = f"{each['first']:,} to {each['last']:,}"
        lines = f"{span} of {each['lines']:,}" if each["lines"] is not None else f"frames {span}"
        return [each["path"], lines, each["sha256"], each["state"]]

    @staticmethod
    def still(each: Data) -> list[str]:
        at = each["time_ms"] / 1000
        return [each["file"], each["message"], f"{each['path']}, frame {each['frame']:,}, {at:.3f} s", each["sha256"]]

    def redaction(self) -> Data | None:
        found = self.packet["redaction"]
        if found is None:
            return None
        lines = [[f"{each['path']}, line {each['line']}", each["salted_sha256"]] for each in found["lines"]]
        patrons = [[each["label"], each["salted_sha256"]] for each in found["patrons"]]
        return {
            "kept": found["kept"] or "none",
            "patrons": patrons,
            "lines": lines,
            "unproved": len(found["unproved"]),
        }

    def evidence(self) -> Data:
        packet, signed, published = self.packet, self.packet["evidence"], self.packet["published"]
        as_of = f"; asked for as of {self.stamp(published['as_of'])}" if published["as_of"] else ""
        restates = "; it restates a day that had been signed off" if published["restates"] else ""
        approvals = [": ".join(filter(None, (each["by"], each["note"]))) for each in published["signed_off"]]
        return {
            "snapshot": f"{published['snapshot']}, published {self.stamp(published['at'])}{as_of}{restates}",
            "engine": published["engine_version"],
            "signed_off": "; ".join(approvals) or "not signed off",
            "origin": signed["origin"],
            "size": f"{signed['size']:,}",
            "root": signed["root"],
            "time": signed["time"] or NOT_RECORDED,
            "key_id": signed["key_id"],
            "lines": f"{signed['lines']:,}",
            "proofs": f"{signed['proofs']:,}",
            "floor": packet["rulebook"]["floor_sha256"],
        }


def reason_rows(each: Data) -> list[list[str]]:
    """Return a settlement's deciding facts, clauses and arithmetic as rows of label and text."""
    rows = []
    if each["player_cards"] and each["kind"] in ("main", "split", "double", "super-bonus"):
        rows.append(["Hand", f"{cards_text(each['player_cards'])} = {each['player_worth']}"])
    rows += [["Decided", each["decided"]]] if each["decided"] else []
    rows += [["By clause", _cited(each["clause"])]] if each["clause"] else []
    rows += [["Because of", _cited(each["because"])]] if each["because"] else []
    rows += [["Reading", _reading(reading)] for reading in each["readings"]]
    rows += [["Expected", each["arithmetic"]]] if each["arithmetic"] else []
    rows += [["Logged", words.logged_text(each["actual_paid_cents"], each["actual_taken_cents"])]]
    rows += [["Note", each["note"]]] if each["note"] else []
    return rows


def finding_rows(each: Data) -> list[list[str]]:
    """Return a finding's clause, handling (prescribed and actual), variance and evidence as rows of label and text."""
    rows = [["By clause", _cited(each["clause"])]] if each["clause"] else []
    if each["prescribed"] or each["ruled"] or each["handling"]:
        rows.append(["Prescribed", "; or ".join(each["prescribed"]) or "nothing"])
        rows.append(["Ruled", "; ".join(each["ruled"]) or "no ruling is logged"])
        rows.append(["Handling", each["handling_words"] or (each["handling"] or "").replace("-", " ")])
    rows += [["Reading", _reading(reading)] for reading in each["readings"]]
    if each["variance_cents"]:
        verdict = "overpaid" if each["variance_cents"] > 0 else "underpaid"
        amount = f"{money(abs(each['variance_cents']))} {each['currency']}"
        rows.append(["Cost", f"{verdict} {amount}"])
    where = f"{each['path']}, line {each['line']}" if each["path"] and each["line"] else (each["path"] or "")
    rows.append(["Shown by", words.evidence_text(each["evidence"]) + (f" ({where})" if where else "")])
    return rows


def _signed(cents: int) -> str:
    return words.signed_text(cents).replace("-", "\N{MINUS SIGN}")


def _sign(value: float) -> str:
    return "\N{MINUS SIGN}" if value < 0 else "+"


def _cited(clause: Data) -> str:
    return f"{clause['number']}: {clause['says']}"


def _reading(used: Data) -> str:
    return words.reading_text(used["name"], used["value"], used["default"], used["why"])
