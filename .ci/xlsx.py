"""Serves hostile records, writes them as workbooks, and compares each cell that other projects' readers find."""

import datetime
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import urllib.parse

import openpyxl
import pandas

LONGEST = 32_767
LAST_ROW = 1_048_575

HOSTILE = [
    "007",
    "+48 123 456 789",
    "+48123456789",
    "12345678901234567890",
    "=1+1",
    '=HYPERLINK("http://example.com")',
    "@SUM(1)",
    "-1",
    "1e5",
    "TRUE",
    "2026-11-23",
    "😀 王小明 \u202e",
    "<b>&amp;'\"</b> ]]>",
    "first line\nsecond line\n",
    "  outer spaces  ",
    "\ttab",
    "x" * LONGEST,
    "é" * LONGEST,
    "😀" * (LONGEST // 2),
]

# A workbook has these as `_xHHHH_`. Excel decodes them; openpyxl shows the text of the file.
ESCAPED = {"a\r\nb": "a_x000D_\nb", "\x01": "_x0001_", "_x0041_": "_x005F_x0041_"}


def candidates():
    texts = HOSTILE + list(ESCAPED) + ["x" * (LONGEST + 1)]
    for number, text in enumerate(texts):
        yield {
            "id": f"00{number}",
            "name": text,
            "email": None,
            "phone": "+40210000001",
            "phone_mobile": "",
            "date": "2024-02-29 12:30:05" if number % 2 else "0000-00-00 00:00:00",
            "portal": {"id": "3", "name": "=2+2"},
            "type": "person",
        }


def vacancies():
    return ({"id": f"0{number}", "project": "Night shift"} for number in range(LAST_ROW + 1))


class Service(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        if query["method"][0] == "candidates/list":
            answer = {"status": "success", "result": list(candidates())}
        else:
            answer = list(vacancies())
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def run(program, folder, url, *arguments):
    environment = {
        "GATEWAY_BASE_URL": url,
        "GATEWAY_TOKEN": "token",
        "HOME": folder,
        "TMPDIR": folder,
        "PATH": os.environ["PATH"],
    }
    done = subprocess.run(
        [program, *arguments], cwd=folder, env=environment, capture_output=True, timeout=900
    )
    return done.returncode, done.stdout, done.stderr.decode()


def equal(found, expected, what):
    assert found == expected, f"{what}: {str(found)[:200]!r} instead of {str(expected)[:200]!r}"


def check_cells(program, folder, url):
    path = os.path.join(folder, "candidates.xlsx")
    code, _, errors = run(program, folder, url, "candidates", "list", "--output-file", path)
    equal(code, 6, errors)
    texts = HOSTILE + list(ESCAPED)
    longer = f"record {len(texts) + 1}, field `name`: {LONGEST + 1} characters"
    assert longer in errors, errors
    equal(os.stat(path).st_mode & 0o777, 0o600, "mode")

    sheet = openpyxl.load_workbook(path).active
    rows = list(sheet.iter_rows())
    names = [cell.value for cell in rows[0]]
    equal(sheet.title, "candidates", "name of the sheet")
    equal(sheet.freeze_panes, "A2", "frozen header")
    equal(sheet.auto_filter.ref, f"A1:I{len(rows)}", "filter")
    assert all(cell.font.bold for cell in rows[0]), "the header is not bold"
    records = list(candidates())
    equal(len(rows), 1 + len(records), "rows")
    for record, row in zip(records, rows[1:], strict=True):
        cells = dict(zip(names, row, strict=True))
        text = ESCAPED.get(record["name"], record["name"])
        equal(cells["name"].value, text if len(record["name"]) <= LONGEST else None, "name")
        equal(cells["id"].value, record["id"], "id")
        equal(cells["phone"].value, "+40210000001", "phone")
        equal(cells["portal.name"].value, "=2+2", "nested field")
        # `null`, an empty text and an absent field are empty cells.
        equal(cells["email"].value, None, "null")
        equal(cells["phone_mobile"].value, None, "empty text")
        valid = record["date"].startswith("2024")
        expected = datetime.datetime(2024, 2, 29, 12, 30, 5) if valid else record["date"]
        equal(cells["date"].value, expected, "date")
        for cell in row:
            assert cell.data_type != "f", f"{cell.coordinate} is a formula"

    frame = pandas.read_excel(path, dtype=str, keep_default_na=False)
    for record, name, identifier in zip(records, frame["name"], frame["id"], strict=True):
        equal(identifier, record["id"], "id in pandas")
        text = ESCAPED.get(record["name"], record["name"])
        equal(name, text if len(text) <= LONGEST else "", "name in pandas")

    code, piped, errors = run(program, folder, url, "candidates", "list", "-o", "xlsx")
    equal(code, 6, errors)
    with open(path, "rb") as file:
        created = re.compile(rb"PK\x03\x04")
        equal(len(created.findall(piped)), len(created.findall(file.read())), "parts of a piped workbook")
    with open(os.path.join(folder, "piped.xlsx"), "wb") as file:
        file.write(piped)
    again = openpyxl.load_workbook(os.path.join(folder, "piped.xlsx")).active
    equal(again.max_row, len(rows), "rows of a piped workbook")


def check_counts(program, folder, url):
    path = os.path.join(folder, "counts.xlsx")
    code, _, errors = run(
        program, folder, url, "candidates", "list", "--count-by", "phone", "--output-file", path
    )
    equal(code, 0, errors)
    rows = list(openpyxl.load_workbook(path).active.iter_rows(values_only=True))
    equal(rows, [("phone", "count"), ("+40210000001", len(list(candidates())))], "counts")


def check_sheets(program, folder, url):
    path = os.path.join(folder, "vacancies.xlsx")
    code, _, errors = run(program, folder, url, "vacancies", "list", "--output-file", path)
    equal(code, 0, errors)
    assert "those from 1048576 on are in the sheet `vacancies 2`" in errors, errors
    book = openpyxl.load_workbook(path, read_only=True)
    equal(book.sheetnames, ["vacancies", "vacancies 2"], "sheets")
    number = 0
    for sheet in book:
        rows = sheet.iter_rows(values_only=True)
        equal(next(rows), ("id", "project"), "header")
        for row in rows:
            equal(row, (f"0{number}", "Night shift"), "row")
            number += 1
        if number <= LAST_ROW:
            equal(number, LAST_ROW, "records of the first sheet")
    equal(number, LAST_ROW + 1, "records")


def main():
    program = os.path.abspath(sys.argv[1])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    try:
        for check in (check_cells, check_counts, check_sheets):
            with tempfile.TemporaryDirectory() as folder:
                check(program, folder, url)
            print(f"{check.__name__}: passed")
    finally:
        server.shutdown()


main()
