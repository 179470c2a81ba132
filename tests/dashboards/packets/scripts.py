"""A table's day whose names, devices and rounds are written in the scripts of several countries."""

import json
from pathlib import Path
from typing import Any

from tests.dashboards.packets import tables

CHINESE = "陈伟强说二十点输了。龍門臺"
TAMIL = "நான் இருபதில் நின்றேன்"
THAI = "ผมหยุดที่ยี่สิบ"
KOREAN = "저는 이십에서 멈췄습니다"
DEVANAGARI = "मैं बीस पर रुका था"
EMOJI = "😀 🎰 👍🏽 👩‍💻 🇸🇬 ♥️ 1️⃣"
SPOKEN = (CHINESE, TAMIL, THAI, KOREAN, DEVANAGARI)
UNCOVERED = "ሰላም שלום"  # Ethiopic and Hebrew
CONTROLS = "a\x1b[31mb\x00c\x07d\x85e\u2028f\ue000g\ufeffh"
REORDERED = "paid \u202e00.52\u202c \u206700.1\u2069"
HOSTILE = f"{UNCOVERED} {CONTROLS} {REORDERED}"
ROUND = f"十七-{TAMIL[:4]}-{KOREAN[:2]}-😀-ሰ\u202e"
PROPERTY = f"Harbour {CHINESE} {TAMIL} ქართული ሰ"
DEALER = f"दाना {KOREAN[:2]}"
PATRONS = f"P-{THAI}", f"P-{CHINESE}"
_NAMES = {"P100001": PATRONS[0], "P100008": PATRONS[1], "dana": DEALER, "ito": "伊藤 ito\x1b"}
DEVICES = {"terminal": f"终端-{TAMIL[:3]}-😀", "shoe": f"슈-{THAI[:2]}-\u202eሰ"}


def zone(folder: Path) -> Path:
    """A landing zone with a round of eight boxes, everybody in it named in another script."""
    tables.zone(folder, tables.EIGHT_BOXES)
    floor = folder / "floor.toml"
    floor.write_text(floor.read_text().replace("Harbour Casino", PROPERTY))
    for source, device in DEVICES.items():
        log = folder / tables.DAY / tables.TABLE / f"{source}.ndjson"
        lines = [json.dumps(_renamed({**json.loads(line), "device": device})) for line in log.read_text().splitlines()]
        log.write_text("".join(f"{line}\n" for line in lines))
    return folder


def _renamed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: ROUND if name == "round" and each == "eight" else _renamed(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_renamed(each) for each in value]
    return _NAMES.get(value, value) if isinstance(value, str) else value
