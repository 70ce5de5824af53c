"""New certificates for the servers of a test or a measurement, made with the openssl command."""

import datetime
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import processes

HERE = "DNS:localhost,IP:127.0.0.1,IP:::1"
DAY = datetime.timedelta(days=1)
LIFETIME = 30 * DAY
# P-256: fast to make, and every client accepts it.
NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

# `openssl ca`, because OpenSSL 3.0 has no other command that sets both dates.
CONFIGURATION = """
[ca]
default_ca = authority
[authority]
new_certs_dir = {folder}
database = {folder}/{name}.index
rand_serial = yes
certificate = {authority}
private_key = {authority_key}
default_md = sha256
policy = anything
x509_extensions = server
unique_subject = no
[anything]
commonName = supplied
[server]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = {names}
"""


@dataclass(frozen=True)
class Certificate:
    """The PEM files of a certificate and its key."""

    certificate: Path
    key: Path


def has_openssl() -> bool:
    return shutil.which("openssl") is not None


def self_signed(folder: Path, name: str, extensions: list[str]) -> Certificate:
    """A self-signed certificate, with these extensions."""
    made = Certificate(folder / f"{name}.pem", folder / f"{name}.key")
    added = [word for extension in extensions for word in ("-addext", extension)]
    openssl(
        "req", "-x509", *NEW_KEY, "-days", LIFETIME.days + 1, "-subj", f"/CN=Bluebonnet {name}", *added,
        "-keyout", made.key, "-out", made.certificate)
    return made


class Authority:
    """Signs servers' certificates. Everything it makes is in one folder."""

    def __init__(self, folder: Path, name: str = "authority"):
        self.folder = folder
        extensions = ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"]
        self.own = self_signed(folder, name, extensions)

    def issue(
        self, name: str, names: str = HERE,
        starts: datetime.datetime | None = None, ends: datetime.datetime | None = None,
    ) -> Certificate:
        """A server's certificate: NAME.pem and NAME.key.

        `names` are its alternative names as openssl writes them. Without dates it is valid from
        yesterday on for a month.
        """
        now = datetime.datetime.now(datetime.timezone.utc)
        made = Certificate(self.folder / f"{name}.pem", self.folder / f"{name}.key")
        configuration, request = self.folder / f"{name}.cnf", self.folder / f"{name}.csr"
        configuration.write_text(CONFIGURATION.format(
            folder=self.folder, name=name, names=names,
            authority=self.own.certificate, authority_key=self.own.key))
        (self.folder / f"{name}.index").write_text("")
        openssl("req", "-new", *NEW_KEY, "-subj", f"/CN=Bluebonnet {name}", "-keyout", made.key, "-out", request)
        openssl(
            "ca", "-batch", "-notext", "-config", configuration, "-in", request, "-out", made.certificate,
            "-startdate", openssl_date(starts or now - DAY), "-enddate", openssl_date(ends or now + LIFETIME))
        return made


def openssl_date(date: datetime.datetime) -> str:
    return date.astimezone(datetime.timezone.utc).strftime("%Y%m%d%H%M%SZ")


def openssl(*arguments: object):
    command = ["openssl", *(str(word) for word in arguments)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise processes.Problem(f"`openssl {arguments[0]}` failed:\n{done.stderr.strip()}")
