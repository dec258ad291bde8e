"""Measures programs, for `engines.py` and `lists.py`. Needs Linux, and GNU time."""

import os
import re
import subprocess
import tempfile
import time
from pathlib import Path


def measured(command, **options):
    """Runs a program, which must succeed. Returns its time and CPU time in seconds, and its peak memory in MiB."""
    with tempfile.NamedTemporaryFile("r") as report:
        # A child of Python would begin with the peak memory of Python.
        time = ["/usr/bin/time", "--format", "%e %U %S %M", "--output", report.name]
        subprocess.run([*time, *command], check=True, **options)
        duration, user, system, memory = map(float, report.read().split())
    return duration, user + system, memory / 1024


class Meter:
    """Measures a part of the work of a running process."""

    def __init__(self, process):
        self.folder = Path(f"/proc/{process}")
        # Begins a new peak.
        (self.folder / "clear_refs").write_text("5")
        self.begun, self.cpu = time.monotonic(), self.cpu_time()

    def cpu_time(self):
        fields = (self.folder / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def measured(self):
        """Returns the time, the CPU time and the peak memory since it began, as the function above."""
        memory = int(re.search(r"VmHWM:\s+(\d+)", (self.folder / "status").read_text())[1])
        return time.monotonic() - self.begun, self.cpu_time() - self.cpu, memory / 1024
