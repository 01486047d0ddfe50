import runpy
import struct

import pytest


def test_fields_are_those_that_struct_packs(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_module("snippets.examples.bit_fields")
    packed = f"{int.from_bytes(struct.pack('>e', 0.1)):016b}"
    stored = struct.unpack(">e", struct.pack(">e", 0.1))[0]
    fields, value = capsys.readouterr().out.splitlines()
    assert fields == f"sign {packed[0]}, exponent {packed[1:6]}, mantissa {packed[6:]}"
    assert value == f"{stored * 16:.7f} x 2^-4 = {stored:.8f}"
