"""A signing key of the tests' own, and a lake."""

from pathlib import Path

import pytest

from tests.warehouse.evidence import small_lake


@pytest.fixture(autouse=True)
def key_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "keys" / "signing-key.pem"
    monkeypatch.setenv("AUDIT21_KEY", str(path))
    return path


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return small_lake.make(tmp_path / "lake")
