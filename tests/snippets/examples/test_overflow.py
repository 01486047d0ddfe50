import runpy

import numpy as np
import pytest


def test_fp16_overflows_where_bf16_rounds(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_module("snippets.examples.overflow")
    with np.errstate(over="ignore"):
        half = np.float16(300) * np.float16(300)
    # 90,000 lies in [2^16, 2^17), where eight binary digits are 512 apart.
    assert capsys.readouterr().out == f"FP16: {half}\nBF16: {round(90000 / 512) * 512}\n"
