"""What the tests of the lab share."""

from pathlib import Path

import pytest

from tests.quantization.tiny import write_checkpoint


@pytest.fixture
def checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small checkpoint, chosen as a user would choose one."""
    for name, value in write_checkpoint(tmp_path / "tiny").items():
        monkeypatch.setenv(name, value)
    return tmp_path / "tiny"
