"""Measures a list of many candidates that goes to files and to an S3 server, in each format. Prints a table, and fails if a
program needs more memory than its limit.

Arguments: the program `gateway` of this workspace, the program `gateway-server`, and the number of candidates. It needs what
`.ci/warehouse` installs. It is not part of CI: its times need a release build, and a machine without other work.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import measured
from s3_server import s3_server

PROGRAM, SERVER = (str(Path(argument).resolve()) for argument in sys.argv[1:3])
CANDIDATES = int(sys.argv[3])
# In MiB.
LIMITS = {"ndjson": 64, "xlsx": 64, "parquet": 128}


def write(target):
    """Writes the list, and returns the time, the CPU time and the memory of the program."""
    return measured([PROGRAM, "candidates", "list", "--output-file", target])


def table(folder):
    print(f"| {CANDIDATES:,} candidates | time | CPU | peak memory | size |\n|---|--:|--:|--:|--:|", flush=True)
    exceeded = []
    for name, limit in LIMITS.items():
        for target in [f"{folder}/list.{name}", f"s3://archive/list.{name}"]:
            duration, cpu, memory = write(target)
            is_file = "://" not in target
            size = f"{os.path.getsize(target) / 1e6:.0f} MB" if is_file else ""
            place = "a file" if is_file else "S3"
            print(f"| {name} to {place} | {duration:.1f} s | {cpu:.1f} s | {memory:.0f} MiB | {size} |", flush=True)
            if memory >= limit:
                exceeded.append(f"{name} to {place}: {memory:.0f} MiB exceed {limit} MiB")
    return exceeded


def main():
    with tempfile.TemporaryDirectory() as name, s3_server():
        folder = Path(name)
        os.environ["XDG_CONFIG_HOME"] = os.environ["XDG_DATA_HOME"] = str(folder / "home")
        os.environ["GATEWAY_DATABASE"] = str(folder / "server.db")

        def server(*arguments):
            return subprocess.run([SERVER, *arguments], check=True, capture_output=True, text=True).stdout.strip()

        os.environ["GATEWAY_TOKEN"] = server("account", "create", "lists", "--token", "first")
        server("demo-data", "--account", "lists", "--candidates", str(CANDIDATES))
        serve = [SERVER, "serve", "--listen", "127.0.0.1:0", "--rate", "0", "--access-log", "false"]
        with subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as serving:
            try:
                os.environ["GATEWAY_BASE_URL"] = re.search(r"http://\S+", serving.stdout.readline())[0]
                # The server keeps a list that is requested again.
                for _ in range(2):
                    write(f"{folder}/list.ndjson")
                exceeded = table(folder)
            finally:
                serving.terminate()
        if exceeded:
            sys.exit("\n".join(exceeded))


main()
