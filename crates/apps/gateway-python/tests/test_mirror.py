"""A mirror of the sample service over its days."""

import threading
from pathlib import Path

import gateway
import pytest


def test_a_mirror_follows_the_service(tmp_path: Path) -> None:
    demo, path = gateway.Demo(), tmp_path / "m.db"
    demo.set_day(0)
    client, mirror = gateway.Client(demo.base_url, demo.token), gateway.Mirror(path)
    with pytest.raises(gateway.MirrorError, match="m.db"):
        mirror.changes()
    first = {report.table: report for report in mirror.sync(client)}
    assert first["candidate"].added > 0 and set(first) == {"candidate", "vacancy", "candidate_vacancy"}
    changes, cursor = mirror.changes()
    assert {change.kind for change in changes} <= {"added", "value_learned"}
    demo.set_day(3)
    mirror.sync(client)
    later, _ = mirror.changes(cursor)
    assert later and all(change.number > changes[-1].number for change in later)
    moved = [change for change in later if change.kind == "value_changed"]
    assert moved and moved[0].previous != moved[0].value
    [placement, *_] = mirror.placements()
    assert placement.value and mirror.placements(status="no such status") == []
    assert all(one.group == placement.group for one in mirror.placements(vacancy=placement.group))
    assert mirror.report(days=1).moved == len(moved)
    record = mirror.record("candidate", placement.member)
    assert record and record["id"] == placement.member and mirror.record("candidate", "0") is None


def test_errors_of_a_mirror_have_kinds(tmp_path: Path, client: gateway.Client, demo: gateway.Demo) -> None:
    mirror = gateway.Mirror(tmp_path / "m.db")
    mirror.sync(client)
    with pytest.raises(gateway.MirrorError) as other:
        mirror.sync(client, account="other")
    assert other.value.kind == "other_source" and other.value.hint
    with pytest.raises(gateway.MirrorError) as cursor:
        mirror.changes("m1.0.0.0")
    assert cursor.value.kind == "cursor"
    with pytest.raises(gateway.MirrorError) as call:
        mirror.sync(gateway.Client(demo.base_url, "gwt_wrong", retry=False))
    assert call.value.kind == "call" and isinstance(call.value.__cause__, gateway.AuthError)
    assert "gwt_wrong" not in str(call.value)


def test_threads_share_a_mirror(tmp_path: Path, client: gateway.Client) -> None:
    mirror = gateway.Mirror(tmp_path / "m.db")
    mirror.sync(client)
    counts: list[int] = []
    threads = [threading.Thread(target=lambda: counts.append(len(mirror.placements()))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(counts) == 8 and len(set(counts)) == 1
