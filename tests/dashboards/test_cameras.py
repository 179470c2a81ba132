"""Camera set-up: what is drawn, moved, checked and kept."""

import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import polars as pl
import pytest
from playwright.sync_api import Locator, expect

from tests.dashboards.barriers import serious, sticks_out
from tests.dashboards.conftest import ClientOf, PageOf
from tests.dashboards.floor import FIRST
from tests.dashboards.keys import press
from tests.dashboards.server import Server, serving
from tests.pipelines.lakes import audited
from tests.pipelines.zones import made
from tests.vision.calibration import tables
from vision.calibration import Calibration
from warehouse.cases import activity, drafts
from warehouse.cases.activity import ActivityFilter
from warehouse.evidence.files import file_sha256

CAMERA = "CEILING-1"


@pytest.fixture(scope="module")
def filmed(tmp_path_factory: pytest.TempPathFactory, floor: object) -> Iterator[tuple[Server, str]]:
    """A server on a lake with a camera that has a still, and the hash of its sidecar."""
    folder = tmp_path_factory.mktemp("filmed")
    zone = made(folder / "zone", tables=1, rounds=4)
    place = next(path for path in (zone / str(FIRST)).iterdir() if path.is_dir())
    table = tables.table()
    cv2.imwrite(str(place / "footage-1.png"), table.in_play)
    sidecar = {
        "start": f"{FIRST}T18:00:00.000-05:00",
        "camera": CAMERA,
        "calibration": table.truth.to_json(),
        "lens": 4,
    }
    (place / "footage-1.json").write_text(json.dumps(sidecar))
    (place / "footage-2.json").write_text(json.dumps({"start": "now", "calibration": {"image": [2]}}))
    audited(zone, folder / "lake", copy_footage=True)
    with serving(folder / "lake", folder / "cases.db") as running:
        yield running, file_sha256(place / "footage-1.json")[0]


def test_the_picture_of_a_film_that_is_only_in_the_landing_zone(
    filmed: tuple[Server, str], tmp_path: Path, client_of: ClientOf
) -> None:
    server, sidecar = filmed
    kept = server.site.settings.lake
    shutil.copytree(kept, tmp_path / "lake")
    zone, address = kept.parent / "zone", f"/cameras/{sidecar}/still.jpg"
    (tmp_path / "lake" / "raw" / file_sha256(next(zone.glob("2*/*/footage-1.png")))[0]).unlink()
    with serving(tmp_path / "lake", tmp_path / "cases.db") as without:
        client = client_of("ann", at=without)
        assert client.get(address).status_code == 404
        assert "--landing" in client.get(f"/cameras/{sidecar}").text
    with serving(tmp_path / "lake", tmp_path / "cases.db", landing=zone) as knowing:
        picture = client_of("ann", at=knowing).get(address)
        assert picture.content == client_of("ann", at=server).get(address).content


def place_of(handle: Locator) -> tuple[float, float]:
    x, y = (float(handle.get_attribute(name) or "nan") for name in ("cx", "cy"))
    return x, y


@pytest.mark.parametrize(("name", "status"), [("ann", 200), ("root", 200), ("bob", 403), ("reg", 403)])
def test_who_may_set_up(filmed: tuple[Server, str], client_of: ClientOf, name: str, status: int) -> None:
    server, sidecar = filmed
    client = client_of(name, at=server)
    for path in (f"/cameras?day={FIRST}", f"/cameras/{sidecar}", f"/cameras/{sidecar}/still.jpg"):
        assert client.get(path).status_code == status
    refused = client.post(f"/cameras/{sidecar}/draft", data={"adjusted": "{}"})
    assert refused.status_code == (400 if status == 200 else 403)


def test_the_list_names_what_cannot_be_used(filmed: tuple[Server, str], page_of: PageOf, client_of: ClientOf) -> None:
    server, sidecar = filmed
    page = page_of("ann", "/cameras", at=server)
    expect(page.get_by_role("row", name=CAMERA)).to_contain_text("usable")
    expect(page.get_by_role("row", name="footage-2.json")).to_contain_text("calibration.image: found [2], expected 2")
    found = pl.read_parquet(io.BytesIO(client_of("ann", at=server).get(f"/cameras?day={FIRST}&format=parquet").content))
    assert sidecar in found["sha256"] and len(found) == 2
    assert client_of("ann", at=server).get(f"/cameras/{'0' * 64}").status_code == 404


def test_zones_lie_where_the_calibration_has_them(
    filmed: tuple[Server, str], page_of: PageOf, client_of: ClientOf
) -> None:
    server, sidecar = filmed
    page = page_of("ann", f"/cameras/{sidecar}", at=server)
    truth = tables.table().truth
    page.get_by_role("button", name="seat3", exact=True).click()
    points = page.locator("#handles circle:not(.whole)")
    shown = np.array([place_of(each) for each in points.all()])
    assert np.abs(shown - truth.to_px(np.round(truth.zones["seat3"], 1))).max() < 0.5
    expect(page.get_by_text("Calibration fits.")).to_be_visible()
    answer = client_of("ann", at=server).get(f"/cameras/{sidecar}?format=csv")
    rows = pl.read_csv(io.BytesIO(answer.content)).filter(zone="seat3").select("x_px", "y_px").to_numpy()
    assert np.abs(rows - shown).max() < 0.5
    still = client_of("ann", at=server).get(f"/cameras/{sidecar}/still.jpg").content
    picture = cv2.imdecode(np.frombuffer(still, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None and picture.shape == tables.table().in_play.shape


def test_moved_checked_and_kept(filmed: tuple[Server, str], page_of: PageOf, client_of: ClientOf) -> None:
    server, sidecar = filmed
    page = page_of("ann", f"/cameras/{sidecar}", at=server)
    corner = page.get_by_role("button", name="Corner top left")
    x, y = place_of(corner)
    corner.focus()
    for _ in range(4):
        press(page, "Shift+ArrowRight")
    press(page, "ArrowDown")
    assert place_of(corner) == pytest.approx((x + 40, y + 1))
    press(page, "k")
    expect(page.locator("#verdict")).to_contain_text("top left: the corner is not where its mark is")
    press(page, "u")
    assert place_of(corner) == pytest.approx((x + 40, y))
    press(page, "m")
    expect(page.locator("#verdict")).to_contain_text("Calibration fits.")
    assert place_of(corner) == pytest.approx((x, y), abs=1)

    press(page, "z")
    expect(page.get_by_role("button", name="seat1", exact=True)).to_have_attribute("aria-pressed", "true")
    point = page.get_by_role("button", name="seat1, point 1,")
    before, box = place_of(point), point.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 12, box["y"] + box["height"] / 2 - 6, steps=4)
    page.mouse.up()
    after = place_of(page.get_by_role("button", name="seat1, point 1,"))
    assert after[0] > before[0] + 8 and after[1] < before[1] - 3
    press(page, "s")
    expect(page.get_by_text("Draft saved", exact=True)).to_be_visible()

    with server.site.database.read() as session:
        draft = drafts.newest(session, page.locator(".title").inner_text().split("table ")[1].split(" ")[0], CAMERA)
        logged = [row.action for row in activity.newest(session, ActivityFilter(subject=f"camera {CAMERA}"), 5)]
    assert draft is not None and draft.author == "ann" and logged == ["keep camera draft"]
    kept = Calibration.from_json(draft.calibration)
    assert np.abs(kept.to_px(kept.zones["seat1"])[0] - np.array(after)).max() < 0.5
    with page.expect_download() as download:
        page.get_by_role("link", name="Download sidecar").click()
    taken = json.loads(Path(download.value.path()).read_text())
    assert download.value.suggested_filename == "footage-1.json"
    assert (taken["camera"], taken["lens"], taken["calibration"]) == (CAMERA, 4, draft.calibration)
    page.reload()
    expect(page.get_by_text("Shown is the draft of ann")).to_be_visible()
    own = client_of("ann", at=server).get(f"/cameras/{sidecar}?format=json&draft=0").json()
    assert own["calibration"]["zones"] == tables.table().truth.to_json()["zones"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("nothing", "Expecting value"),
        ({"corners": [[0, 0], [0, 1], [1, 1], [1, 0]]}, "clockwise"),
        ({"corners": [[0, 0], [1, 0]]}, "four corners"),
        ({"zones": {"seat1": [[0, 0], [1, 0], [0, 9]]}}, "the same zones"),
        ({"zones": {"seat1": "x"}}, "zones.seat1"),
    ],
)
def test_what_is_no_calibration_is_refused(
    filmed: tuple[Server, str], client_of: ClientOf, change: str | dict[str, object], said: str
) -> None:
    server, sidecar = filmed
    truth = tables.table().truth
    assert truth.marks is not None
    given = {"corners": truth.to_px(truth.marks).tolist(), "zones": truth.to_json()["zones"]}
    sent = change if isinstance(change, str) else json.dumps(given | change)
    answer = client_of("ann", at=server).post(f"/cameras/{sidecar}/draft", data={"adjusted": sent})
    assert answer.status_code == 400 and re.search(said, answer.text)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1024)])
def test_nobody_is_kept_out(filmed: tuple[Server, str], page_of: PageOf, scheme: str, width: int) -> None:
    server, sidecar = filmed
    for path in ("/cameras", f"/cameras/{sidecar}"):
        page = page_of("ann", path, at=server, color_scheme=scheme, viewport={"width": width, "height": 900})
        assert serious(page) == [] and not sticks_out(page)
