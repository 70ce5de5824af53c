"""The clients of other languages, built or found when their tools are on this machine."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path


# Where Debian's packages of Rust crates (librust-…-dev) put them.
CRATES = Path("/usr/share/cargo/registry")


def find(sources: Path, target: Path, kept: Path, say: Callable[[str], None]) -> dict[str, list]:
    """How to call each of them, by name. Nothing is downloaded; what is missing is named and left out.

    What is built quickly goes to the folder `target`, what takes minutes to the folder `kept`, where Python's packages are, too.
    """
    found = {}
    environment = kept / "venv"
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
    reqwest = with_reqwest(sources / "http-reqwest", kept / "http-reqwest", say)
    if reqwest:
        found["reqwest"] = [reqwest]
    return found


def with_reqwest(sources: Path, target: Path, say: Callable[[str], None]) -> Path | None:
    """The client for Rust's reqwest, built with Debian's crates; the first time it takes a minute or two."""
    if shutil.which("cargo") is None or not list(CRATES.glob("reqwest-0.11.*")):
        say("no cargo, or no librust-reqwest-dev: reqwest is left out")
        return None
    # cargo writes its lock file beside the manifest: it works on a copy. Files that are the same
    # keep their times.
    for file in ("Cargo.toml", "src/main.rs"):
        text, copy = (sources / file).read_text(), target / file
        if not copy.is_file() or copy.read_text() != text:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text)
    say("building the client for reqwest")
    good = compiled([
        "cargo", "build", "--release", "--offline", "--manifest-path", target / "Cargo.toml", "--target-dir", target / "build",
        "--config", 'source.crates-io.replace-with="debian"', "--config", f'source.debian.directory="{CRATES}"',
    ])
    if not good:
        say("the client for reqwest cannot be built here: reqwest is left out")
        return None
    return target / "build" / "release" / "http-reqwest"


def compiled(command: list, **environment: str) -> bool:
    """Whether a command is there and succeeds."""
    if shutil.which(command[0]) is None:
        return False
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, env={**os.environ, **environment})
    return done.returncode == 0
