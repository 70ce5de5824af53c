"""The clients of other languages, built or found when their tools are on this machine."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path


# The folder of the Rust crates in Debian's packages (librust-…-dev).
CRATES = Path("/usr/share/cargo/registry")


def find(sources: Path, target: Path, kept: Path, say: Callable[[str], None]) -> dict[str, list]:
    """The command of each client, by name. Nothing is downloaded; a client whose tools are missing is named and left out.

    Clients that are built quickly go to the folder `target`. The folder `kept` is for those that take minutes, and has Python's
    packages.
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
    asking = next((path for path in (own, sys.executable) if compiled([path, "-c", "import aiohttp"])), None)
    if asking:
        found["aiohttp"] = [asking, "-B", sources / "websocket_aiohttp.py"]
    else:
        say("no Python package aiohttp: it is left out of the workload of WebSockets")
    importing = next((path for path in (own, sys.executable) if compiled([path, "-c", "import orjson"])), None)
    if importing:
        found["orjson"] = [importing, "-B", sources / "json_orjson.py"]
    else:
        say("no Python package orjson: it is left out of the JSON workloads")
    drawing = next((path for path in (own, sys.executable) if compiled([path, "-c", "import PIL.Image"])), None)
    if drawing:
        found["pillow"] = [drawing, "-B", sources / "image_pillow.py"]
    else:
        say("no Python package pillow: the workload of images is left out")
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
    # cargo writes its lock file beside the manifest, so it gets a copy. Files that did not change
    # are not written again: cargo looks at their times.
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
    """Whether a command exists and succeeds."""
    if shutil.which(command[0]) is None:
        return False
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, env={**os.environ, **environment})
    return done.returncode == 0
