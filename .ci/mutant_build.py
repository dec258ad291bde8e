"""Writes a copy of the workspace with switches for mutants, and compiles its tests."""

import io
import json
import math
import os
import re
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

from crates import CRATES, folder
from switches import Change, File, module

ROOT = Path(__file__).resolve().parent.parent
FUNCTION = re.compile(rb"^ *(pub(\([a-z]+\))? )?(async )?fn ", re.MULTILINE)
MARKER = re.compile(rb"/\*<(\d+)\*/(.*?)/\*\1>\*/", re.DOTALL)


@dataclass(frozen=True)
class Binary:
    package: str
    path: str
    # Tests run in the folder of their package.
    folder: str


class Build:
    def __init__(self, work, unviable):
        self.work, self.tree = work, work / "tree"
        # Mutants that the compiler refuses, and those that cannot have a switch, for example in a `const fn`.
        self.unviable, self.refused = set(unviable), set()
        self.mutants, self.sources = {}, {}
        self.environment = os.environ | {
            "CARGO_TARGET_DIR": str(work / "build"),
            "CARGO_INCREMENTAL": "1",
            "CARGO_PROFILE_DEV_DEBUG": "0",
            "CARGO_TERM_COLOR": "never",
        }

    def git(self, *arguments, tree=None):
        return subprocess.run(["git", *arguments], cwd=tree or self.tree, check=True, stdout=subprocess.PIPE).stdout

    def write(self, mutants):
        """Brings the copy to the commit of this tree, with a switch for each mutant. Files that stay the same keep their time."""
        commit = self.git("rev-parse", "HEAD", tree=ROOT).decode().strip()
        if not self.tree.exists():
            self.git("clone", "--quiet", "--no-checkout", "--shared", str(ROOT), str(self.tree), tree=ROOT)
        self.git("fetch", "--quiet", str(ROOT), commit)
        self.git("update-ref", "--no-deref", "HEAD", commit)
        self.git("reset", "--quiet", commit)
        self.git("clean", "--quiet", "-fd")
        archive = tarfile.open(fileobj=io.BytesIO(self.git("archive", "--format=tar", commit)))
        for member in archive.getmembers():
            if member.isfile():
                self.sources[member.name] = archive.extractfile(member).read()
            if not member.isfile() or not (self.tree / member.name).exists():
                archive.extract(member, self.tree, filter="tar")
        self.mutants = mutants
        self.write_sources()

    def write_sources(self):
        changes = {}
        for number, mutant in self.mutants.items():
            if number not in self.unviable and number not in self.refused:
                source = self.sources[mutant["file"]]
                start, end = (position(source, mutant["span"][side]) for side in ("start", "end"))
                change = Change(number, mutant["genre"], start, end, mutant["replacement"])
                changes.setdefault(mutant["file"], []).append(change)
        roots = {f"{folder(crate)}/src/lib.rs" for crate in CRATES}
        for name, source in self.sources.items():
            text = source
            if name.endswith("/src/main.rs") and name in changes:
                self.refused |= {change.number for change in changes[name]}
            elif name in changes:
                file = File(source, changes[name])
                self.refused |= set(file.refused)
                self.unviable |= set(file.impossible)
                text = file.written().encode()
            if name in roots:
                text += module(1000 * (len(CRATES) + 1), self.work).encode()
            path = self.tree / name
            if path.read_bytes() != text:
                path.write_bytes(text)

    def compile(self, packages):
        """Returns the binaries with tests. Leaves out mutants that do not compile, until the rest does."""
        chosen = [word for package in packages for word in ("--package", package)]
        # The libraries first: their unit tests would repeat each error. One small test, because without any test cargo
        # compiles the dependencies with other features.
        targets = ["--lib", "--package", "gateway-model-core", "--test", "epoch_seconds"]
        while True:
            arguments = ["cargo", "build", *targets, "--keep-going", *chosen, "--all-features", "--message-format=json"]
            with (self.work / "build.log").open("w") as log:
                ended = subprocess.run(arguments, cwd=self.tree, env=self.environment, stdout=subprocess.PIPE, stderr=log)
            messages = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith(b"{")]
            if ended.returncode == 0 and targets == ["--tests"]:
                break
            if ended.returncode == 0:
                targets = ["--tests"]
                continue
            refused = {number for message in messages for number in self.blamed(message)}
            print(f"{len(refused)} mutants do not compile", flush=True)
            if not refused:
                errors = [message["message"]["rendered"] for message in messages if is_error(message)]
                sys.exit(f"cannot compile the tests; see {self.work / 'build.log'}\n" + "\n".join(errors[:5]))
            self.unviable |= {number for number in refused if can_be_unviable(self.mutants[number])}
            self.refused |= refused - self.unviable
            self.write_sources()
        compiled = self.compiled()
        self.refused |= {number for number, mutant in self.mutants.items() if mutant["file"] not in compiled}
        return [
            Binary(package(message["package_id"]), message["executable"], str(Path(message["manifest_path"]).parent))
            for message in messages
            if message["reason"] == "compiler-artifact" and message["executable"] and message["profile"]["test"]
        ]

    def compiled(self):
        """Returns the sources that were compiled. Some are for other systems."""
        rules = (file.read_text().splitlines() for file in (self.work / "build/debug/deps").glob("*.d"))
        return {line[:-1] for lines in rules for line in lines if line.endswith(".rs:")}

    def blamed(self, message):
        """Returns the mutants at the place of a compiler error."""
        if not is_error(message):
            return
        for span in message["message"]["spans"]:
            # An error in the expansion of a macro is at its innermost call in our sources.
            while span["expansion"] and not (self.tree / span["file_name"]).exists():
                span = span["expansion"]["span"]
            path = self.tree / span["file_name"]
            if not span["is_primary"] or not path.exists():
                continue
            places = [(match.start(), match.end(), int(match[1])) for match in markers(path.read_bytes())]
            code = (message["message"]["code"] or {}).get("code")
            if code == "E0004":
                # The error is at the value; the deleted arm is below it, in the same function.
                end = FUNCTION.search(path.read_bytes(), span["byte_start"])
                limit = end.start() if end else math.inf
                yield from (number for start, _, number in places
                            if span["byte_start"] < start < limit and self.mutants[number]["genre"] == "MatchArm")
                continue
            inside = [number for start, end, number in places if start <= span["byte_start"] < end]
            before = [number for start, _, number in places if start <= span["byte_start"]]
            yield from inside[-1:] or before[-1:]


def can_be_unviable(mutant):
    """Returns whether the change itself may be why it does not compile. Otherwise the switch is."""
    return mutant["genre"] == "FnValue" or mutant["genre"] == "BinaryOperator" and mutant["replacement"] not in ("==", "!=")


def is_error(message):
    return message["reason"] == "compiler-message" and message["message"]["level"] == "error"


def package(identifier):
    """Returns the name in `path+file:///folder/name#0.1.0` or `path+file:///folder#name@0.1.0`."""
    path, _, version = identifier.partition("#")
    return version.split("@")[0] if "@" in version else path.rsplit("/", 1)[-1]


def markers(text):
    """Returns the marked branches. None is inside another, but guards of one pattern may be."""
    return MARKER.finditer(text)


def position(source, place):
    """Returns the offset in bytes of a line and a column, in characters, both from 1."""
    start = 0
    for _ in range(place["line"] - 1):
        start = source.index(b"\n", start) + 1
    line = source[start:].split(b"\n", 1)[0].decode()
    return start + len(line[: place["column"] - 1].encode())
