"""When gaming days end, by the property's clock."""

from datetime import UTC, date, datetime, time
from pathlib import Path

import pytest

from pipelines.defs.house import GamingDayClock, house

NEW_YORK = GamingDayClock("America/New_York", time(6))


@pytest.mark.parametrize(
    ("now", "ended"),
    [
        (datetime(2026, 1, 7, 10, 59, tzinfo=UTC), date(2026, 1, 5)),  # 05:59 there: the 6th goes on
        (datetime(2026, 1, 7, 11, 0, tzinfo=UTC), date(2026, 1, 6)),
        (datetime(2026, 1, 8, 4, 0, tzinfo=UTC), date(2026, 1, 6)),  # 23:00 on the 7th
        (datetime(2026, 7, 7, 10, 0, tzinfo=UTC), date(2026, 7, 6)),  # summer time
    ],
)
def test_the_day_that_ended_last(now: datetime, ended: date) -> None:
    assert NEW_YORK.ended(now) == ended


def test_cron_goes_over_midnight() -> None:
    assert GamingDayClock(starts=time(6, 30)).cron(2) == "30 8 * * *"
    assert GamingDayClock(starts=time(23)).cron(2) == "0 1 * * *"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            '[property]\ntimezone = "Asia/Singapore"\ngaming_day_starts = "05:30"\n',
            GamingDayClock("Asia/Singapore", time(5, 30)),
        ),
        ('[property]\ntimezone = "Asia/Singapore"\n', GamingDayClock("Asia/Singapore", time(6))),
        ('[property]\ntimezone = "Atlantis"\n', GamingDayClock()),
        ("[property]\ngaming_day_starts = 6\n", GamingDayClock()),
        ("not TOML", GamingDayClock()),
        ("property = " + "[" * 100_000, GamingDayClock()),
        ("", GamingDayClock()),
    ],
)
def test_floor_toml_says_it_or_the_defaults_hold(tmp_path: Path, text: str, found: GamingDayClock) -> None:
    (tmp_path / "floor.toml").write_text(text, encoding="utf-8")
    assert house(tmp_path) == found


def test_no_landing_zone() -> None:
    assert house(None) == GamingDayClock() == house(Path("/nowhere"))
