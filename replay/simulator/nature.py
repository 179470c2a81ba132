"""Deviations of a simulated floor from the usual one: clocks, pace, dealers' habits, and missing lines."""

from typing import Final, NamedTuple

CLOCKS: Final = ("mild", "offset", "drift", "jitter", "step", "restart", "hostile")
PACES: Final = ("dense", "sparse", "mixed")
DEVICES: Final = ("shoe", "terminal", "camera")
_UNLOGGED: Final = "unlogged"


class NatureError(ValueError):
    """An option that makes no sense; says what was found and what was expected."""


class PlannedOutage(NamedTuple):
    """Lines of a device that are lost: so many minutes at a time, so many times a day."""

    device: str
    minutes: float
    times: int


class Nature(NamedTuple):
    """Options beyond the usual floor; the defaults change nothing."""

    clocks: str = ""  # one of CLOCKS
    pace: str = ""  # one of PACES
    habits: bool = False  # dealers differ in when they draw and when they key settlements in
    late_keying: bool = False  # some dealers key final settlements in after the round
    misdeals: float = 0.0  # share of rounds with a misdeal that nobody logs
    outages: tuple[PlannedOutage, ...] = ()
    truth_cards: bool = False  # write the truth about cards, clocks and rounds in any case

    def has_habits(self) -> bool:
        """Return whether dealers have habits of their own; another clock or pace implies it."""
        return bool(self.habits or self.late_keying or self.clocks or self.pace)

    def tells_cards(self) -> bool:
        """Return whether the truth about cards, clocks and rounds is written."""
        return self != USUAL

    def unplantable(self) -> frozenset[str]:
        """Return codes that cannot be planted: another pace changes how old decks get."""
        retimed = self.pace or self.clocks in ("restart", "hostile")
        return frozenset({"shoe.decks-stale"}) if retimed else frozenset()


USUAL: Final = Nature()


def parse_choice(option: str, text: str | None, known: tuple[str, ...]) -> str:
    """Return the value of an option with fixed choices, empty where it is not given."""
    if text is not None and text not in known:
        raise NatureError(f"{option}: found {text!r}, expected one of {', '.join(known)}")
    return text or ""


def parse_misdeals(text: str | None) -> float:
    """Return the rate of ``unlogged:RATE``."""
    if text is None:
        return 0.0
    kind, _, rate = text.partition(":")
    if kind == _UNLOGGED and (share := _number(rate)) is not None and share <= 1:
        return share
    raise NatureError(f"--misdeals: found {text!r}, expected unlogged and a share of rounds such as unlogged:0.02")


def parse_outage(text: str) -> PlannedOutage:
    """Return the outage of ``DEVICE:MINUTES:N``."""
    device, minutes, times = (*text.split(":"), "", "")[:3]
    lasts = _number(minutes)
    if text.count(":") == 2 and device in DEVICES and lasts and times.isdecimal():
        return PlannedOutage(device, lasts, int(times))
    expected = f"a device ({', '.join(DEVICES)}), minutes and times a day such as shoe:5:2"
    raise NatureError(f"--outage: found {text!r}, expected {expected}")


def _number(text: str) -> float | None:
    """Return a plain number that is not negative, None where it is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None
