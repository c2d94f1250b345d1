from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rl_diag_plugin.sources import records as records_module
from rl_diag_plugin.sources.crc32c import masked_crc, masked_crcs
from rl_diag_plugin.sources.records import Batch, Damage, Records

Record = Callable[[bytes], bytes]


def walk(data: bytes, block: int = 7, verify: bool = False) -> tuple[list[bytes], list[Damage], Records]:
    records = Records((data[i : i + block] for i in range(0, len(data), block)), 0, verify)
    payloads: list[bytes] = []
    damages: list[Damage] = []
    for part in records:
        if isinstance(part, Batch):
            payloads += part.payloads
            assert len(part.ends) == len(part.payloads) == len(part.footers)
        else:
            damages.append(part)
    return payloads, damages, records


def test_the_checksum_of_the_standards_example() -> None:
    crc = (masked_crc(b"123456789") - 0xA282EAD8) & 0xFFFFFFFF
    assert 0xE3069283 == (crc >> 17 | crc << 15) & 0xFFFFFFFF


@given(st.lists(st.binary(min_size=5, max_size=5), min_size=1, max_size=9))
def test_checksums_of_rows_are_those_of_each(rows: list[bytes]) -> None:
    matrix = np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(-1, 5)
    assert [masked_crc(row) for row in rows] == masked_crcs(matrix).tolist()


@given(payloads=st.lists(st.binary(max_size=40), max_size=12), block=st.integers(1, 64), cut=st.integers(0, 40))
def test_records_are_cut_out_of_blocks_of_any_size(payloads: list[bytes], block: int, cut: int) -> None:
    def framed(payload: bytes) -> bytes:
        length = struct.pack("<Q", len(payload))
        return length + struct.pack("<I", masked_crc(length)) + payload + struct.pack("<I", masked_crc(payload))

    parts = [framed(payload) for payload in payloads]
    data = b"".join(parts)
    data = data[: max(0, len(data) - cut)]
    found, damages, records = walk(data, block, verify=True)
    whole = 0
    while whole < len(parts) and sum(map(len, parts[: whole + 1])) <= len(data):
        whole += 1
    assert (payloads[:whole], [], 0) == (found, damages, records.wrong)
    assert sum(map(len, parts[:whole])) == records.offset
    assert len(data) - records.offset == records.rest


@pytest.mark.parametrize("block", [1, 13, 1000])
def test_after_a_damaged_length_reading_goes_on_at_the_next_record(record: Record, block: int) -> None:
    data = bytearray(record(b"one") + record(b"two") + record(b"three"))
    first = len(record(b"one"))
    data[first + 2] ^= 0x40
    found, damages, records = walk(bytes(data), block)
    assert [b"one", b"three"] == found
    assert [Damage(first, 2 * first)] == damages
    assert (len(data), 0) == (records.offset, records.rest)


@pytest.mark.parametrize("block", [1, 13, 1000])
def test_without_a_record_after_the_damage_the_reader_stays_before_it(record: Record, block: int) -> None:
    data = record(b"one") + b"\0" * 50
    found, damages, records = walk(data, block)
    start = len(record(b"one"))
    assert ([b"one"], [Damage(start, None)], start) == (found, damages, records.offset)


def test_payloads_are_checked_only_on_demand(record: Record) -> None:
    for length in (3, 5000):
        data = bytearray(record(b"a" * length) + record(b"b" * length))
        data[14] ^= 1
        assert 2 == len(walk(bytes(data))[0])
        found, _, records = walk(bytes(data), verify=True)
        assert ([b"b" * length], 1) == (found, records.wrong)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("block", [100, 1 << 20])
def test_a_record_that_is_too_long_is_passed_over(record: Record, whole: bool, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records_module, "MAX_PAYLOAD", 1000)
    long = record(bytes(1001))[: None if whole else -1]
    data = record(b"one") + long + (record(b"two") if whole else b"")
    found, damages, records = walk(data, block)
    assert ([b"one", b"two"] if whole else [b"one"], []) == (found, damages)
    assert whole == (records.offset == len(data))
    assert whole == (records.rest == 0)
