"""Runs tests with one mutant switched on."""

import hashlib
import json
import os
import resource
import signal
import subprocess
import time
from pathlib import Path

from crates import SLOW

# Tests of a mutant that cost more CPU than this together, in seconds, do not run, apart from those of its own crate.
BUDGET = 60
# Tests that cost less than this together, in seconds, run in one process; the next process may cost twice as much. Most mutants
# are killed early, and each process with a database starts a server.
GROUP = 1.0
# A test that needs more CPU than this, in seconds, is not used.
LONGEST = 40


class Tests:
    def __init__(self, work, tree, binaries):
        self.work, self.tree, self.binaries = work, tree, binaries
        self.cache = work / "tests.json"
        # By binary: the tests with their costs and the switches that they reach.
        self.known = json.loads(self.cache.read_text()) if self.cache.exists() else {}
        # The binaries whose tests are known or were run.
        self.current = set()

    def run(self, binary, names, active, cpu, wall):
        """Runs tests of a binary with a mutant, `all` or 0. Returns how they ended and what they cost."""
        (self.work / "active").write_text(str(active))
        environment = os.environ | {
            "CARGO_MANIFEST_DIR": binary.folder,
            "CARGO_PKG_NAME": binary.package,
            "CARGO_TARGET_DIR": str(self.work / "build"),
            "INSTA_UPDATE": "no",
            "INSTA_WORKSPACE_ROOT": str(self.tree),
            "RUST_BACKTRACE": "0",
            "PROPTEST_CASES": "64",
        }
        begun = time.monotonic()
        with (self.work / "test.log").open("w") as log:
            process = subprocess.Popen(
                [binary.path, "--exact", "--test-threads=1", *names], cwd=binary.folder, env=environment, stdin=subprocess.DEVNULL,
                stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5)),
            )
            result = None
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            try:
                code = process.wait(wall)
                result = "passed" if code == 0 else "timeout" if code in (-signal.SIGXCPU, -signal.SIGKILL) else "failed"
            except subprocess.TimeoutExpired:
                result = "timeout"
            try:
                # Ends what the tests started, too.
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return result, used, time.monotonic() - begun

    def measure(self, binary):
        """Runs each test of a binary once. Returns those that pass, with their costs and the switches that they reach."""
        key = binary.path
        if key in self.current:
            return self.known[key]["tests"]
        self.current.add(key)
        # The time of a file changes when cargo builds the same sources again.
        version = hashlib.sha256(Path(key).read_bytes()).hexdigest()
        if self.known.get(key, {}).get("version") == version:
            return self.known[key]["tests"]
        listed = subprocess.run([binary.path, "--list", "--format", "terse"], cwd=binary.folder, stdout=subprocess.PIPE, text=True).stdout
        names = [line.removesuffix(": test") for line in listed.splitlines() if line.endswith(": test")]
        found, dropped = {}, []
        for name in names:
            if any(slow in name for slow in SLOW):
                continue
            (self.work / "reached").write_text("")
            result, cpu, wall = self.run(binary, [name], "all", LONGEST, 600)
            if result != "passed":
                dropped.append(f"{name} ({result})")
                continue
            found[name] = {"cpu": cpu, "wall": wall, "reached": sorted(set(map(int, (self.work / "reached").read_text().split())))}
        print(f"── {binary.package} {Path(binary.path).name}: {len(found)} tests, {sum(one['cpu'] for one in found.values()):.0f} s of CPU"
              + (f"; not used: {', '.join(dropped)}" if dropped else ""), flush=True)
        self.known[key] = {"version": version, "tests": found}
        part = self.cache.with_suffix(".part")
        part.write_text(json.dumps(self.known))
        part.replace(self.cache)
        return found

    def groups(self, number, packages):
        """Returns the tests that reach a mutant, cheapest first, and those of the crate itself without a limit."""
        found = []
        for binary in self.binaries:
            if binary.package in packages:
                for name, one in self.measure(binary).items():
                    if number in one["reached"]:
                        found.append((binary, name, one["cpu"], one["wall"]))
        found.sort(key=lambda one: one[2])
        groups, total = {}, 0.0
        for binary, name, cpu, wall in found:
            total += cpu
            if total > BUDGET and binary.package != packages[0]:
                continue
            parts = groups.setdefault(binary, [[]])
            if parts[-1] and sum(one[1] for one in parts[-1]) + cpu > GROUP * 2 ** (len(parts) - 1):
                parts.append([])
            parts[-1].append((name, cpu, wall))
        flat = [(binary, group) for binary, several in groups.items() for group in several]
        return sorted(flat, key=lambda one: sum(test[1] for test in one[1]))

    def outcome(self, number, packages):
        """Returns what tests say about a mutant, and the test that killed it."""
        for binary, group in self.groups(number, packages):
            names = [name for name, _, _ in group]
            cpu, wall = sum(one[1] for one in group), sum(one[2] for one in group)
            limits = int(10 + 10 * cpu), 60 + 20 * wall
            result, _, _ = self.run(binary, names, number, *limits)
            if result == "timeout":
                return "timeout", names[0]
            if result == "failed":
                failed = self.failed(names)
                # A test that fails now and then without a mutant proves nothing.
                if self.run(binary, failed, number, *limits)[0] != "passed" and self.run(binary, failed, 0, *limits)[0] == "passed":
                    return "caught", failed[0]
        return "missed", None

    def failed(self, names):
        log = (self.work / "test.log").read_text(errors="replace")
        failed = [name for name in names if f"test {name} ... FAILED" in log or f"    {name}\n" in log]
        return failed[:1] or names
