"""The clients of other languages, built or found when their tools are on this machine."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path


def find(sources: Path, target: Path, environment: Path, say: Callable[[str], None]) -> dict[str, list]:
    """How to call each of them, by name. Nothing is downloaded; what is missing is named and left out."""
    found = {}
    curl = compiled(["cc", "-O2", "-o", target / "curl-multi", sources / "curl-multi.c", "-lcurl"])
    go = compiled(["go", "build", "-o", target / "http-go", sources / "http.go"], GOFLAGS="-mod=mod", GO111MODULE="off")
    if curl:
        found["curl"] = [target / "curl-multi"]
    else:
        say("no C compiler with libcurl: the curl command is used, for transfers and cold starts only")
    own = environment / "bin" / "python"
    python = next((path for path in (own, sys.executable) if compiled([path, "-c", "import requests"])), None)
    if python:
        found["python"] = [python, "-B", sources / "http_requests.py"]
    else:
        say("no Python package requests: python is left out, but for the cold start")
    importing = next((path for path in (own, sys.executable) if compiled([path, "-c", "import orjson"])), None)
    if importing:
        found["orjson"] = [importing, "-B", sources / "json_orjson.py"]
    else:
        say("no Python package orjson: it is left out of the JSON workloads")
    if go:
        found["go"] = [target / "http-go"]
    else:
        say("no Go: go is left out")
    return found


def compiled(command: list, **environment: str) -> bool:
    """Whether a command is there and succeeds."""
    if shutil.which(command[0]) is None:
        return False
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, env={**os.environ, **environment})
    return done.returncode == 0
