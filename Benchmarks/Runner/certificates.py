"""The certificates of the TLS workloads: made anew for each run, and gone after it."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

CONFIGURATION = """
[ req ]
prompt = no
distinguished_name = name
[ name ]
CN = Bluebonnet benchmarks
[ authority ]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[ server ]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost
"""


@dataclass
class Certificates:
    """An authority, and a server's certificate for `localhost` that it signed; P-256 keys."""

    authority: Path
    server: Path
    key: Path


def create(folder: Path) -> Certificates | None:
    """Makes them in a folder with the openssl command, or does nothing where there is none."""
    if shutil.which("openssl") is None:
        return None
    configuration = folder / "certificates.cnf"
    configuration.write_text(CONFIGURATION)
    made = Certificates(folder / "authority.pem", folder / "server.pem", folder / "server.key")
    authority_key, request = folder / "authority.key", folder / "server.csr"
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-config", configuration]
    run("req", "-x509", "-days", "2", "-extensions", "authority", *key, "-keyout", authority_key, "-out", made.authority)
    run("req", "-new", *key, "-keyout", made.key, "-out", request)
    run("x509", "-req", "-days", "2", "-in", request, "-CA", made.authority, "-CAkey", authority_key, "-CAcreateserial",
        "-extfile", configuration, "-extensions", "server", "-out", made.server)
    return made


def run(*arguments: str | Path):
    subprocess.run(["openssl", *(str(word) for word in arguments)], check=True, capture_output=True)
