"""An invalid floor.toml is one clear line that names file and place."""

from pathlib import Path

import pytest

from replay import floor

TABLE = """[[table]]
id = "T1"
from = 2026-01-01
rulebook = "md-pontoon21"
decks = 6
boxes = 7
min_cents = 1500
max_cents = 100000
"""
METER = '[[meter]]\nid = "m1"\nrate_ppm = 150000\nreset_cents = 1000000\n'
PROGRESSIVE = "[table.options]\nbsx16 = true\n[table.progressive.bsx16]\n"

WRONG = {
    "no-toml": ("[[table", "(at end of document)"),
    "from-datetime": (
        TABLE.replace("2026-01-01", "2026-01-01T06:00:00Z"),
        "table T1: from is 2026-01-01T06:00:00+00",
    ),
    "from-time": (TABLE.replace("2026-01-01", "06:00:00"), "table T1: from is datetime.time(6, 0), expected a date"),
    "deep": ("a = " + "[" * 100_000, "values are nested too deep"),
    "long-number": (f"{TABLE}\nchip_unit_cents = {'9' * 5000}", "floor.toml: "),
    "top": (f"[propertys]\n{TABLE}", "propertys: no such part; did you mean property?"),
    "property": (f'[property]\ntimezon = "UTC"\n{TABLE}', "property: 'timezon' is no setting; did you mean timezone?"),
    "shift": (f'[property]\nshifts = {{ day = "6 am" }}\n{TABLE}', "property: day is '6 am', expected a time such as"),
    "shift-zone": (f'[property]\nshifts = {{ day = "06:00Z" }}\n{TABLE}', "property: day is '06:00Z', expected a time"),
    "audit": (f"[audit]\ncertainity = 0.9\n{TABLE}", "audit: 'certainity' is no setting; did you mean certainty?"),
    "grace": (
        f'[audit]\nbackdated_grace = "never"\n{TABLE}',
        "backdated_grace is 'never', expected 'next-bets-",
    ),
    "severity": (
        f"[audit]\nseverity_cents = {{ USD = [5, 2] }}\n{TABLE}",
        "severity_cents.USD is [5, 2], expected",
    ),
    "severity-sign": (
        f"[audit]\nseverity_cents = {{ USD = [-5, 2] }}\n{TABLE}",
        "severity_cents.USD is -5, expected",
    ),
    "id": (TABLE.replace('"T1"', '["T1"]'), "id is ['T1'], expected text"),
    "id-missing": (TABLE.replace('id = "T1"', ""), "table 1: id is None, expected text"),
    "table": (TABLE.replace("boxes", "boxs"), "table T1: 'boxs' is no setting; did you mean boxes?"),
    "option": (f"{TABLE}[table.options]\nmach = true\n", "table T1: options: 'mach' is no option; did you mean match?"),
    "reading": (f'{TABLE}[table.readings]\nlate_wagr = "x"\n', "'late_wagr' is no reading; did you mean late_wager?"),
    "cap": (f"{TABLE}[table.options]\npayout_cap_cents = -1\n", "options.payout_cap_cents is -1, expected a whole"),
    "twice": (TABLE + TABLE, "table T1: stands twice from 2026-01-01, expected one [[table]] for each id and date"),
    "chip": (f"{TABLE}chip_unit_cents = 0\n", "table T1: chip_unit_cents is 0, expected a whole number from 1"),
    "currency": (f"{TABLE}currency = 5\n", "table T1: currency is 5, expected text"),
    "meter-twice": (METER + METER + TABLE, "meter m1: stands twice"),
    "meter-name": (
        METER.replace("rate_ppm", "rate_pmm") + TABLE,
        "meter m1: 'rate_pmm' is no setting; did you mean rate",
    ),
    "rate": (
        METER.replace("150000", "-1") + TABLE,
        "meter m1: rate_ppm is -1, expected a whole number from 0 to 1000000",
    ),
    "reset": (METER.replace("1000000", "-5") + TABLE, "meter m1: reset_cents is -5, expected a whole number from 0"),
    "meter": (f'{METER}{TABLE}{PROGRESSIVE}meter = "m2"', "bsx16.meter is 'm2', expected the id of a [[meter]]: m1"),
    "second-meter": (f'{METER}{TABLE}{PROGRESSIVE}secondary_meter = "m2"', "bsx16.secondary_meter is 'm2', expected"),
    "meter-list": (f"{METER}{TABLE}{PROGRESSIVE}meter = []", "bsx16.meter is [], expected the id of a [[meter]]"),
    "system": (f"{TABLE}[table.progressive.bsx61]\n", "'bsx61' is no progressive system; did you mean bsx16?"),
    "jackpot": (f"{TABLE}{PROGRESSIVE}jackpot_cents = -1", "bsx16.jackpot_cents is -1, expected a whole number"),
    "authorise": (f"{TABLE}{PROGRESSIVE}authorize_from_cents = 1", "did you mean authorise_from_cents?"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_in_one_line(name: str, tmp_path: Path) -> None:
    text, said = WRONG[name]
    path = tmp_path / "floor.toml"
    path.write_text(text)
    with pytest.raises(floor.FloorError) as caught:
        floor.read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ") and said in message
    assert "\n" not in message and len(message) < 500


def test_bytes_that_are_no_text_are_told_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "floor.toml").write_bytes(b"[property]\nname = '\xff'\n")
    with pytest.raises(floor.FloorError, match=r"floor\.toml:2: expected UTF-8, found byte 0xff"):
        floor.read(tmp_path / "floor.toml")


def test_everything_that_the_contract_names_is_known(tmp_path: Path) -> None:
    head = """[property]
name = "Harbour Casino"
timezone = "America/New_York"
gaming_day_starts = "06:00"
shifts = { day = "06:00", swing = "14:00", grave = "22:00" }

[audit]
certainty = 0.99
backdated_grace = "next-bets-closed"
severity_cents = { USD = [2500, 50000] }
"""
    options = """chip_unit_cents = 100

[table.options]
match = true
min_increment_cents = 500
payout_cap_cents = false
"""
    later = TABLE.replace("2026-01-01", "2026-02-01")
    path = tmp_path / "floor.toml"
    path.write_text(f"{head}{METER}{TABLE}{options}{later}")
    found = floor.read(path)
    assert [table.since.isoformat() for table in found.tables] == ["2026-01-01", "2026-02-01"]
    assert (found.audit.certainty, found.audit.backdated_grace) == (0.99, "next-bets-closed")


def test_severity_limits_are_those_of_the_tables_currency(tmp_path: Path) -> None:
    path = tmp_path / "floor.toml"
    euros, dollars = TABLE + 'currency = "EUR"\n', TABLE.replace("T1", "T2")
    singapore = TABLE.replace("T1", "T3") + 'currency = "SGD"\n'
    path.write_text(f"[audit]\nseverity_cents = {{ EUR = [100, 2000] }}\n{euros}{dollars}{singapore}")
    limits = [table.severity_limits for table in floor.read(path).tables]
    assert limits == [(100, 2000), (2500, 50000), (3500, 70000)]  # given; USD 25.00 and 500.00; SGD, the usual ones
