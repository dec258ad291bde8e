"""Serves hostile records, writes them as workbooks, and compares each cell that openpyxl finds."""

import datetime
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading

import openpyxl

# The limits of Excel: characters of a cell, and rows below the header.
LONGEST, LAST_ROW = 32_767, 1_048_575

HOSTILE = ["007", "+48 123 456 789", "12345678901234567890", "=1+1", '=HYPERLINK("http://example.com")', "@SUM(1)", "-1"]
HOSTILE += ["1e5", "TRUE", "2026-11-23", "😀 王小明 \u202e", "<b>&amp;'\"</b> ]]>", "first line\nsecond line\n"]
HOSTILE += ["  outer spaces  ", "\ttab", "x" * LONGEST, "é" * LONGEST, "😀" * (LONGEST // 2)]
# A workbook has these as `_xHHHH_`. Excel decodes them; openpyxl shows the text of the file.
ESCAPED = {"a\r\nb": "a_x000D_\nb", "\x01": "_x0001_", "_x0041_": "_x005F_x0041_"}

DATES = ["0000-00-00 00:00:00", "2024-02-29 12:30:05"]
OTHER = {"email": None, "phone": "+40210000001", "phone_mobile": "", "portal": {"id": "3", "name": "=2+2"}}
TEXTS = enumerate([*HOSTILE, *ESCAPED])
RECORDS = [{"id": f"00{number}", "name": text, "date": DATES[number % 2], **OTHER} for number, text in TEXTS]


class Service(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        vacancies = ({"id": f"0{number}", "project": "Night shift"} for number in range(LAST_ROW + 1))
        answer = {"status": "success", "result": self.server.records} if "candidates" in self.path else list(vacancies)
        body = json.dumps(answer).encode()
        self.wfile.write(b"HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n" + body)

    def log_message(self, *_):
        pass


def equal(found, expected, what):
    assert found == expected, f"{what}: {str(found)[:200]!r} instead of {str(expected)[:200]!r}"


def main():
    program = os.path.abspath(sys.argv[1])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    server.records = RECORDS
    threading.Thread(target=server.serve_forever, daemon=True).start()
    folder = tempfile.TemporaryDirectory()
    path = os.path.join(folder.name, "list.xlsx")
    environment = {"GATEWAY_BASE_URL": f"http://127.0.0.1:{server.server_port}", "GATEWAY_TOKEN": "token"}
    environment |= {"HOME": folder.name, "TMPDIR": folder.name, "PATH": os.environ["PATH"]}

    def run(records, code):
        command = [program, records, "list", "--output-file", path]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900)
        equal(done.returncode, code, done.stderr)
        return done.stderr

    run("candidates", 0)
    sheet = openpyxl.load_workbook(path).active
    header, *rows = sheet.iter_rows()
    names = [cell.value for cell in header]
    widths = [sheet.column_dimensions[header[names.index(name)].column_letter].width for name in ("id", "name", "date")]
    assert widths[0] < 10 and widths[1] > 60 and 19 < widths[2] < 30, f"widths: {widths}"
    for record, row in zip(RECORDS, rows, strict=True):
        cells = {name: cell.value for name, cell in zip(names, row, strict=True)}
        equal(cells["name"], ESCAPED.get(record["name"], record["name"]), "name")
        equal([cells[name] for name in ("id", "phone", "portal.name")], [record["id"], "+40210000001", "=2+2"], "texts")
        equal([cells["email"], cells["phone_mobile"]], [None, None], "null and an empty text")
        is_date = record["date"].startswith("2024")
        equal(cells["date"], datetime.datetime(2024, 2, 29, 12, 30, 5) if is_date else record["date"], "date")
        assert all(cell.data_type != "f" for cell in row), f"row {row[0].row} has a formula"
    print("hostile text: passed")

    os.remove(path)
    errors = run("vacancies", 1)
    assert f"a sheet holds at most {LAST_ROW} records; use -o csv" in errors, errors
    assert not os.path.exists(path), "an incomplete workbook"
    print("more records than a sheet has rows: passed")


main()
