"""Reads copies with the software of other projects, from a folder and from the S3 server of moto, and kills copies.

Arguments: the program `gateway` of this workspace, the example `photos`, the guide whose commands are run, and the parts to run:
`values`, `uploads`, `kill` and `guide`. Without parts, all of them. `KILLS` is the number of copies that are killed.
"""

import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import boto3
import duckdb
import polars
import pyarrow.parquet

from s3_server import s3_server

PROGRAM, PHOTOS, GUIDE = (str(Path(argument).resolve()) for argument in sys.argv[1:4])
PARTS = sys.argv[4:] or ["values", "uploads", "kill", "guide"]
KILLS = int(os.environ.get("KILLS", "20"))
TABLES = ["candidate", "vacancy", "candidate_vacancy"]

# What the example writes: id, title, phone, taken, taken_at, size, place_id, place_name, everything else, nulls.
EXPECTED = [
    ("007", "=1+1", "+48600100200", "2026-11-02 06:00:00", "2026-11-02 06:00:00", 7, None, None, None, None),
    ("008", 'two\nlines "quoted", 😀', None, "0000-00-00 00:00:00", None, None, None, None, None, '["phone"]'),
    ("009", "", None, None, None, None, "3", "Żółw", '{"open":[1,2.50],"place":{"zip":"0049"},"size":"big"}', None),
    ("010", "null", None, "1969-12-31 23:59:59", "1969-12-31 23:59:59", -(2**63), None, None, None, '["place"]'),
]


def shown(rows):
    return sorted(tuple(str(cell) if hasattr(cell, "year") else cell for cell in row) for row in rows)


def check(reader, rows, expected=None):
    expected = shown(expected or EXPECTED)
    assert shown(rows) == expected, f"{reader}:\n{shown(rows)}\ninstead of\n{expected}"
    print(f"   {reader} reads every value exactly")


def columns(extra, nulls):
    return ["id", "title", "phone", "taken", "taken_at", "size", "place_id", "place_name", extra, nulls]


def check_file(path):
    names = columns("extra", "nulls")
    check("pyarrow", (tuple(row[name] for name in names) for row in pyarrow.parquet.read_table(path).to_pylist()))
    check("polars", polars.read_parquet(path).select(names).rows())
    check("DuckDB", duckdb.sql(f"SELECT {','.join(names)} FROM '{path}'").fetchall())


def s3_options(settings):
    return {"endpoint_url": settings["AWS_ENDPOINT"], **{name.lower(): value for name, value in settings.items()}}


def check_values(folder, settings):
    """Reads unusual values from a folder, from S3 and from one file."""
    names = columns("mirror_extra", "mirror_nulls")
    options = s3_options(settings)
    for number, (url, options) in enumerate([(str(folder / "tables"), None), ("s3://archive/tables", options)]):
        file = folder / f"photos-{number}.parquet"
        subprocess.run([PHOTOS, url, str(file)], check=True, capture_output=True)
        check("polars", polars.read_parquet(f"{url}/photo.parquet", storage_options=options).select(names).rows())
    check_file(file)
    mirror = new_mirror(folder)
    bad = subprocess.run(
        [PROGRAM, "mirror", "copy", "--from", mirror, "--to", "s3://missing/tables"], capture_output=True, text=True
    )
    assert bad.returncode == 1 and "SECRET" not in bad.stderr, bad.stderr
    run("mirror", "copy", "--from", mirror, "--to", str(folder / "copied"))
    run("mirror", "copy", "--from", mirror, "--to", "gs://archive/copied")
    assert rows(str(folder / "copied")) == rows("s3://archive/copied", options)


def run(*arguments, **options):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done


def rows(url, options=None):
    """The rows of all tables."""
    found = {}
    for name in TABLES:
        table = polars.read_parquet(f"{url}/{name}.parquet", storage_options=options)
        found[name] = sorted(map(str, table.select(["id", "mirror_extra", "mirror_state"]).to_dicts()))
    return found


def new_mirror(folder):
    mirror = str(folder / "mirror.db")
    if not Path(mirror).exists():
        run("--demo", "mirror", "sync", "--to", mirror)
    return mirror


def check_uploads(folder, settings):
    """Writes lists to S3, and compares them with files."""
    s3 = boto3.client("s3", endpoint_url=settings["AWS_ENDPOINT"], region_name="us-east-1")
    for name in ["list.ndjson", "list.json", "list.csv", "list.parquet", "list.xlsx"]:
        url = f"s3://archive/lists/a b/{name}"
        run("--demo", "candidates", "list", "--output-file", url)
        uploaded = s3.get_object(Bucket="archive", Key=f"lists/a b/{name}")["Body"].read()
        run("--demo", "candidates", "list", "--output-file", f"{folder}/{name}")
        written = (folder / name).read_bytes()
        assert len(uploaded) > 1000 and (name.endswith("xlsx") or uploaded == written), name
    count = duckdb.sql(f"SELECT count(*) FROM '{folder}/list.parquet'").fetchall()[0][0]
    assert count == len((folder / "list.ndjson").read_text().splitlines())
    for url in ["s3://missing/list.csv", "s3://archive/", "s3://archive", "ftp://archive/list.csv", f"file://{folder}/list.csv"]:
        bad = subprocess.run([PROGRAM, "--demo", "candidates", "list", "-o", "csv", "--output-file", url], capture_output=True)
        assert bad.returncode != 0 and b"SECRET" not in bad.stderr, (url, bad)
        assert "missing" not in url or b"it does not exist" in bad.stderr, bad
    assert not s3.list_multipart_uploads(Bucket="archive").get("Uploads"), "an upload is unfinished"
    print("   lists as JSON, NDJSON, CSV, XLSX and Parquet are on S3, byte for byte")


def kill(folder, url, options=None):
    """Kills copies at random moments. After each kill, a table has its former rows or the new ones, and one more run completes it."""
    mirror, expected = str(folder / "killed.db"), str(folder / "expected")
    if not Path(mirror).exists():
        run("--demo", "mirror", "sync", "--to", mirror)
    from_ = time.monotonic()
    run("mirror", "copy", "--from", mirror, "--to", url)
    duration = time.monotonic() - from_
    former, killed, attempt = rows(url, options), 0, 0
    people = [re.search(r"'id': '?([0-9]+)", row)[1] for row in former["candidate"]]
    while killed < KILLS:
        attempt += 1
        # A person who is erased changes the tables of candidates and placements.
        if people and attempt % 10 == 1:
            run("mirror", "forget", people.pop(), "--from", mirror, "--yes")
        run("mirror", "copy", "--from", mirror, "--to", expected)
        new = rows(expected)
        copy = subprocess.Popen(
            [PROGRAM, "mirror", "copy", "--from", mirror, "--to", url], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(random.uniform(0, duration))
        copy.send_signal(signal.SIGKILL)
        if copy.wait() == -signal.SIGKILL:
            killed += 1
        else:
            # Ended before: the first copy took longer than this one.
            duration *= 0.9
        found = rows(url, options)
        assert all(found[name] in (former[name], new[name]) for name in TABLES), f"a table is wrong after kill {killed}"
        run("mirror", "copy", "--from", mirror, "--to", url)
        former = rows(url, options)
        assert former == new, f"the tables differ after kill {killed} and one more run"
    if not options:
        files = [path for path in Path(url).rglob("*") if path.is_file()]
        assert not [path for path in files if "#" in path.name], files
        assert {path.stat().st_mode & 0o777 for path in files} == {0o600}, files
    print(f"   {killed} of {attempt} copies to {url} were killed; every table was readable, and complete after one more run")


def run_guide(folder):
    """Runs every block of the guide, in order, in one folder."""
    text = Path(GUIDE).read_text()
    blocks = re.findall(r"^```(sh|python|sql)\n(.*?)^```", text, re.M | re.S)
    python, count = {}, 0
    os.chdir(folder)
    environment = {**os.environ, "PATH": f"{Path(PROGRAM).parent}:{os.environ['PATH']}"}
    for language, block in blocks:
        if "cargo " in block:
            continue
        count += 1
        if language == "sh":
            done = subprocess.run(["bash", "-euc", block], env=environment, capture_output=True, text=True)
            assert done.returncode == 0, f"{block}\n{done.stderr}"
        elif language == "python":
            exec(block, python)
        else:
            for question in block.split(";\n")[:-1]:
                answer = python["duckdb"].sql(question).fetchall()
                assert answer, f"no rows:\n{question}"
    assert count >= 7, f"only {count} blocks"
    print(f"   {count} blocks of the guide run")


def main():
    with s3_server() as settings, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["XDG_CONFIG_HOME"] = os.environ["XDG_DATA_HOME"] = str(folder / "home")
        if "values" in PARTS:
            check_values(folder, settings)
        if "uploads" in PARTS:
            check_uploads(folder, settings)
        if "kill" in PARTS:
            for url, options in [(str(folder / "killed"), None), ("s3://archive/killed", s3_options(settings))]:
                kill(folder, url, options)
        if "guide" in PARTS:
            (folder / "guide").mkdir()
            run_guide(folder / "guide")


main()
