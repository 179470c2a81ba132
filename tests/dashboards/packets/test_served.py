"""Packets that the running command makes: with lines of Parquet files, and deadlines of its settings."""

import json
import zipfile
from io import BytesIO
from pathlib import Path

import httpx
import polars as pl

from tests.dashboards.packets import tables
from tests.dashboards.packets.tables import round_id
from tests.dashboards.packets.test_packet import text_of
from tests.dashboards.server import serving
from tests.dashboards.test_serve import lines_to, started
from tests.pipelines.lakes import audited

SHOE = f"{tables.DAY}/{tables.TABLE}/shoe"


def parquet_zone(folder: Path) -> Path:
    """A landing zone whose shoe writes Parquet."""
    zone = tables.zone(folder, tables.PROGRESSIVE)
    log = zone / f"{SHOE}.ndjson"
    pl.read_ndjson(log, infer_schema_length=None).write_parquet(zone / f"{SHOE}.parquet")
    log.unlink()
    return zone


def test_the_lines_of_parquet_files_and_the_deadlines_are_there(tmp_path: Path) -> None:
    lake = audited(parquet_zone(tmp_path / "zone"), tmp_path / "lake").path
    with serving(lake, lake / "cases.db") as before:
        ann = before.sign_in("ann")
    (tmp_path / "days.toml").write_text('[md-pontoon21]\n"answer in writing" = 10\n')
    with started("--lake", str(lake), "--deadlines", str(tmp_path / "days.toml")) as process:
        url = lines_to(process, "audit21 serves").rpartition(" at ")[2].split(";")[0]
        with httpx.Client(base_url=url, timeout=60, headers={"X-CSRF-Token": ann.csrf}) as client:
            client.cookies.set("audit21_session", ann.cookie)
            path = f"/rounds/{round_id('spin')}"
            assert client.post(path, data={"case": "new", "title": "The wheel"}).status_code == 303
            assert client.post("/cases/1/dispute", data={"received": "2026-01-06"}).status_code == 303
            assert "2026-01-16" in client.get("/cases/1").text
            answer = client.post(f"/packets/{round_id('spin')}", data={"case": "1"})
    assert answer.status_code == 200, answer.text
    with zipfile.ZipFile(BytesIO(answer.content)) as bundle:
        packet = json.loads(bundle.read("packet.json"))
        shown = bundle.read(f"lines/{SHOE}.parquet.ndjson").splitlines()
        assert "answer in writing 16 January 2026" in " ".join(text_of(bundle.read("packet.pdf")).split())
    states = {row["path"]: row["state"] for row in packet["sources"]}
    assert set(states.values()) == {"in the bundle"} and f"{SHOE}.parquet" in states
    drawn = [card["card"] for card in packet["cards"]]
    assert drawn == ["AS", "9H", "8H", "KD", "9C", "9D"]
    assert [json.loads(line).get("card") for line in shown][-6:] == drawn
