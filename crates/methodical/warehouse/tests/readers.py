"""Reads exports with the software of other projects, from a folder and from the S3 server of moto, and kills exporters.

Arguments: the program `gateway` of this workspace, the example `photos`, the guide whose commands are run, and the parts to run:
`values`, `plain`, `google`, `uploads`, `postgres`, `kill`, `compete` and `guide`. Without parts, all of them. `KILLS` is the number of exporters that are killed.
"""

import decimal
import json
import os
import random
import re
import shutil
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
from deltalake import DeltaTable

from s3_server import s3_server

PROGRAM, PHOTOS, GUIDE = (str(Path(argument).resolve()) for argument in sys.argv[1:4])
PARTS = sys.argv[4:] or ["values", "plain", "google", "uploads", "postgres", "kill", "compete", "guide"]
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


def check_table(url, options):
    names = columns("mirror_extra", "mirror_nulls")
    table = DeltaTable(url, storage_options=options)
    photo = table.to_pyarrow_dataset()
    check("deltalake", (tuple(row[name] for name in names) for row in photo.to_table().to_pylist()))
    check("DuckDB over deltalake", duckdb.sql(f"SELECT {','.join(names)} FROM photo").fetchall())
    check("polars over deltalake", polars.read_delta(url, storage_options=options).select(names).rows())


def check_values(folder, settings):
    """Reads unusual values from a folder, from S3 and from one file."""
    places = [(str(folder / "tables"), None), ("s3://archive/tables", settings)]
    for number, (url, options) in enumerate(places):
        file = folder / f"photos-{number}.parquet"
        subprocess.run([PHOTOS, url, str(file)], check=True, capture_output=True)
        check_table(f"{url}/photo", options)
    check_file(file)
    mirror = two_mirrors(folder)[0]
    bad = subprocess.run(
        [PROGRAM, "mirror", "export", "--from", mirror, "--to", "s3://missing/tables"], capture_output=True, text=True
    )
    assert bad.returncode == 1 and "SECRET" not in bad.stderr, bad.stderr


def run(*arguments, **options):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done


def rows(url, options=None):
    """The rows of all tables, as every reader without own state would see them."""
    found = {}
    for name in TABLES:
        table = DeltaTable(f"{url}/{name}", storage_options=options).to_pyarrow_dataset().to_table()
        found[name] = sorted(map(str, table.select(["id", "mirror_extra", "mirror_state"]).to_pylist()))
    return found


def plain(url, options=None):
    """The rows of plain files, as `rows` returns those of tables."""
    found = {}
    for name in TABLES:
        table = polars.read_parquet(f"{url}/{name}/*.parquet", storage_options=options)
        found[name] = sorted(map(str, table.select(["id", "mirror_extra", "mirror_state"]).to_dicts()))
    return found


def check_plain(folder, settings):
    """Exports plain files, and reads them with engines that know no log."""
    mirrors = two_mirrors(folder)
    tables = str(folder / "plain-expected")
    run("mirror", "export", "--from", mirrors[0], "--to", tables)
    expected = rows(tables)
    aws = {name.lower(): value for name, value in settings.items() if name != "AWS_ALLOW_HTTP"}
    places = [(f"file://{folder}/plain files", None), ("s3://archive/plain", {**aws, "aws_allow_http": "true"})]
    for url, options in places:
        for _ in range(2):
            run("mirror", "export", "--from", mirrors[0], "--to", url, "--format", "parquet", "--decimals")
            assert plain(url.removeprefix("file://"), options) == expected, url
    local = places[0][0].removeprefix("file://")
    assert len(list(Path(f"{local}/candidate").iterdir())) == 1
    (Path(local) / "candidate/part-000000000001-000000131072.parquet#1").write_text("left over")
    (Path(local) / "candidate/part-000000999999.parquet").write_text("left over")
    refused = subprocess.run(
        [PROGRAM, "mirror", "export", "--from", mirrors[1], "--to", local, "--format", "parquet"], capture_output=True
    )
    assert refused.returncode == 2, refused
    run("mirror", "export", "--from", mirrors[1], "--to", local, "--format", "parquet", "--decimals", "--replace")
    assert [path.name for path in Path(f"{local}/candidate").iterdir()] == ["part-000000000001-000000131072.parquet"]
    assert plain(local) == expected
    amounts = duckdb.sql(f"SELECT amount, amount_decimal FROM '{local}/mirror_sample/*.parquet'").fetchall()
    assert amounts and all(decimal.Decimal(text) == number for text, number in amounts), amounts
    print("   polars and DuckDB read plain Parquet files, in a folder and on S3")


def check_google(folder, settings):
    """Exports with the protocol of Google Cloud Storage, and reads the same bucket with that of S3."""
    mirrors = two_mirrors(folder)
    tables = str(folder / "google-expected")
    run("mirror", "export", "--from", mirrors[0], "--to", tables)
    for mirror in [*mirrors, mirrors[0]]:
        run("mirror", "export", "--from", mirror, "--to", "gs://archive/google tables", "--replace")
        assert rows("s3://archive/google tables", settings) == rows(tables)
    again = json.loads(run("mirror", "export", "--from", mirrors[0], "--to", "gs://archive/google tables", "-o", "json").stdout)
    assert not any(table["files"] for table in again), again
    run("--demo", "candidates", "list", "--output-file", "gs://archive/google/list.parquet")
    run("--demo", "candidates", "list", "--output-file", f"{folder}/google.parquet")
    s3 = boto3.client("s3", endpoint_url=settings["AWS_ENDPOINT"], region_name="us-east-1")
    uploaded = s3.get_object(Bucket="archive", Key="google/list.parquet")["Body"].read()
    assert uploaded == (folder / "google.parquet").read_bytes()
    print("   tables and lists go to gs:// URLs")


def check_uploads(folder, settings):
    """Writes lists to S3 and to a file by its URL, and compares them with files."""
    s3 = boto3.client("s3", endpoint_url=settings["AWS_ENDPOINT"], region_name="us-east-1")
    for name in ["list.ndjson", "list.json", "list.csv", "list.parquet", "list.xlsx"]:
        url = f"s3://archive/lists/a b/{name}"
        run("--demo", "candidates", "list", "--output-file", url)
        uploaded = s3.get_object(Bucket="archive", Key=f"lists/a b/{name}")["Body"].read()
        for file in [f"{folder}/{name}", f"file://{folder}/by%20url-{name}"]:
            run("--demo", "candidates", "list", "--output-file", file)
        written = (folder / name).read_bytes()
        assert len(uploaded) > 1000 and (name.endswith("xlsx") or uploaded == written), name
        assert name.endswith("xlsx") or (folder / f"by url-{name}").read_bytes() == written, name
    count = duckdb.sql(f"SELECT count(*) FROM '{folder}/list.parquet'").fetchall()[0][0]
    assert count == len((folder / "list.ndjson").read_text().splitlines())
    for url in ["s3://missing/list.csv", "s3://archive/", "s3://archive", "ftp://archive/list.csv"]:
        bad = subprocess.run([PROGRAM, "--demo", "candidates", "list", "-o", "csv", "--output-file", url], capture_output=True)
        assert bad.returncode != 0 and b"SECRET" not in bad.stderr, (url, bad)
        assert "missing" not in url or b"it does not exist" in bad.stderr, bad
    assert not s3.list_multipart_uploads(Bucket="archive").get("Uploads"), "an upload is unfinished"
    print("   lists as JSON, NDJSON, CSV, XLSX and Parquet are on S3, byte for byte")


def check_postgres(folder):
    """Exports a mirror in PostgreSQL, which has the rows of one in SQLite."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not programs:
        print("   SKIPPED: PostgreSQL is not installed")
        return
    with tempfile.TemporaryDirectory(prefix="gateway-pg-") as data:
        as_user = []
        if os.geteuid() == 0:
            shutil.chown(data, "postgres")
            as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]

        def postgres(program, *arguments):
            command = [*as_user, str(programs[-1] / program), "-D", f"{data}/data", *arguments]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")

        postgres("initdb", "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
        options = f"-c unix_socket_directories={data} -c listen_addresses= -c fsync=off"
        postgres("pg_ctl", "-w", "-l", f"{data}/log", "-o", options, "start")
        try:
            source = f"postgres://postgres@{data.replace('/', '%2F')}/postgres"
            run("--demo", "mirror", "sync", "--to", source)
            for url in [str(folder / "from-postgres"), str(folder / "from-sqlite")]:
                mirror = source if url.endswith("postgres") else two_mirrors(folder)[0]
                run("mirror", "export", "--from", mirror, "--to", url)
            assert rows(str(folder / "from-postgres")) == rows(str(folder / "from-sqlite"))
        finally:
            postgres("pg_ctl", "-m", "immediate", "stop")
    print("   the export of a mirror in PostgreSQL has the rows of one in SQLite")


def check_left(url):
    """Checks that a folder has no file of killed exporters."""
    for name in TABLES:
        there = sorted(path.name for path in Path(f"{url}/{name}/data").iterdir())
        live = sorted(Path(file).name for file in DeltaTable(f"{url}/{name}").file_uris())
        assert there == live, f"{name}: {there}, but {live} belong to the table"
    unfinished = [str(path) for path in Path(url).rglob("*#*")]
    assert not unfinished, unfinished
    modes = {path.stat().st_mode & 0o777 for path in Path(url).rglob("*") if path.is_file()}
    assert modes == {0o600}, modes


def two_mirrors(folder):
    """Two mirrors that replace each other, so that every export writes everything."""
    mirrors = [str(folder / "one.db"), str(folder / "two.db")]
    for mirror in mirrors:
        if not Path(mirror).exists():
            run("--demo", "mirror", "sync", "--to", mirror)
    return mirrors


def kill(folder):
    """Kills exporters at random moments."""
    mirrors = two_mirrors(folder)
    url = str(folder / "killed")
    from_ = time.monotonic()
    run("mirror", "export", "--from", mirrors[0], "--to", url, "--replace")
    duration = time.monotonic() - from_
    expected, killed, attempt = rows(url), 0, 0
    while killed < KILLS:
        attempt += 1
        command = [PROGRAM, "mirror", "export", "--from", mirrors[attempt % 2], "--to", url, "--replace"]
        exporter = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0, duration))
        exporter.send_signal(signal.SIGKILL)
        if exporter.wait() == -signal.SIGKILL:
            killed += 1
        else:
            # Ended before: the first export took longer than this one.
            duration *= 0.9
        assert rows(url) == expected, f"the tables differ after kill {killed}"
    # A commit deletes what killed exporters left. At least one of these two commits to each table.
    for mirror in reversed(mirrors):
        run("mirror", "export", "--from", mirror, "--to", url, "--replace")
    check_left(url)
    print(f"   {killed} of {attempt} exporters were killed; every table was readable and complete")


def compete(folder, url, options=None, scheme="s3"):
    """Runs two exporters at the same time, again and again. `scheme` is that of their URL; the readers use S3."""
    mirrors = two_mirrors(folder)
    source, url = url, url.replace("s3://", f"{scheme}://")
    run("mirror", "export", "--from", mirrors[0], "--to", url, "--replace")
    expected = rows(source, options)
    for _ in range(5):
        commands = [[PROGRAM, "mirror", "export", "--from", one, "--to", url, "--replace"] for one in mirrors]
        exporters = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for command in commands]
        for exporter in exporters:
            said = exporter.communicate()[1].decode()
            assert exporter.returncode in (0, 9), said
        assert rows(source, options) == expected, "the tables differ"
    if options is None:
        for mirror in mirrors:
            run("mirror", "export", "--from", mirror, "--to", url, "--replace")
        check_left(url)
    print(f"   two exporters at a time, {'in a folder' if options is None else f'at {scheme}://'}: the tables are complete")


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
            answer = python["duckdb"].sql(block).fetchall()
            assert answer, f"no rows:\n{block}"
    assert count >= 8, f"only {count} blocks"
    print(f"   {count} blocks of the guide run")


def main():
    with s3_server() as settings, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["XDG_CONFIG_HOME"] = os.environ["XDG_DATA_HOME"] = str(folder / "home")
        if "values" in PARTS:
            check_values(folder, settings)
        if "plain" in PARTS:
            check_plain(folder, settings)
        if "google" in PARTS:
            check_google(folder, settings)
        if "uploads" in PARTS:
            check_uploads(folder, settings)
        if "postgres" in PARTS:
            check_postgres(folder)
        if "kill" in PARTS:
            kill(folder)
        if "compete" in PARTS:
            compete(folder, str(folder / "competed"))
            compete(folder, "s3://archive/competed", settings)
            compete(folder, "s3://archive/competed-google", settings, "gs")
        if "guide" in PARTS:
            (folder / "guide").mkdir()
            run_guide(folder / "guide")


main()
