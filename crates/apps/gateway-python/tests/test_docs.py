"""Every block of docs/python.md runs, in its order."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[4] / "docs" / "python.md"


@pytest.mark.filterwarnings("default")
def test_every_block_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert {language for language, _ in blocks} == {"python", "sh"}
    names: dict[str, object] = {}
    for language, block in blocks:
        if language == "python":
            exec(compile(block, f"{PAGE.name}: {block[:40]!r}", "exec"), names)
        else:
            # By its path: on Windows, the name alone may be another program.
            bash = shutil.which("bash") or "bash"
            subprocess.run([bash, "-ec", block], check=True, env={**os.environ, "PATH": path})
