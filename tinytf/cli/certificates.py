"""`tinytf certificates`: the certificates of a class, for servers and people that trust each other.

    certs/authority/   ca.pem, ca-key.pem: stays with the teacher
    certs/anna/        ca.pem, certificate.pem, key.pem: everything that anna needs, and nobody else
    certs/a.example/   the same for a host

The work is done by the program `openssl`. A folder appears whole, or not at all; keys can be read
by their owner only, and are never written twice: `--renew` signs the same key for longer.
"""

from __future__ import annotations

import ipaddress
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tinytf.distributed import tls
from tinytf.framework.errors import OpError
from tinytf.framework.files import write_file

AUTHORITY, CA_KEY = "authority", "ca-key.pem"
#: How long an authority lasts: longer than its certificates may.
AUTHORITY_DAYS = 5 * 365
DEFAULT_DAYS = 200
#: Everybody may serve on their own machine: that is what lessons do.
_OWN_MACHINE = ("localhost", "127.0.0.1", "::1")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,62}")
_CONFIGURATION = """\
[req]
distinguished_name = subject
prompt = no
[subject]
O = tinytf class
CN = {name}
[authority]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[member]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth, clientAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = {alternatives}
"""


def run(
    folder: str,
    hosts: Sequence[str] = (),
    students: Sequence[str] = (),
    days: int = DEFAULT_DAYS,
    renew: bool = False,
) -> int:
    """Make what is missing, and say so; returns the exit code.

    Args:
      folder: of the class; its authority is made at the first time.
      hosts: of servers: a name or address, or several of one machine ("a.example,10.0.0.5").
      students: names of people. days: how long certificates last.
      renew: sign the certificates of these, or of all if none is named, anew.
    """
    try:
        members = _members(hosts, students)
        if not 1 <= days < AUTHORITY_DAYS:
            raise ValueError(f"--days must be from 1 to {AUTHORITY_DAYS - 1}, got {days}.")
        if renew and not members:
            members = _existing(Path(folder))
        if not members:
            raise ValueError("Name somebody: --host a.example --student anna.")
        _Class(Path(folder), days).make(members, renew)
    except (ValueError, OSError, OpError) as error:
        print(f"tinytf certificates: {getattr(error, 'message', error)}", file=sys.stderr)
        return 2
    return 0


class _Class:
    """The folder of a class.

    Args:
      folder: where it is. days: how long certificates last that are signed now.
    """

    def __init__(self, folder: Path, days: int):
        self._folder, self._days = folder, days
        self._authority = folder / AUTHORITY

    def make(self, members: dict[str, list[str]], renew: bool) -> None:
        """Make or renew the folders of members; name -> the hosts that it is for."""
        self._folder.mkdir(parents=True, exist_ok=True)
        if not self._authority.exists():
            if renew:
                raise ValueError(f"There is no class in {self._folder}: nothing to renew.")
            self._make_authority()
            print(f"{self._authority}  made: keep it to yourself, it makes certificates")
        for name, hosts in members.items():
            place = self._folder / name
            if not place.exists():
                self._make_member(place, hosts)
                print(f"{place}  made, {self._until(place)}: all that {name} needs")
            elif renew:
                self._renew(place, hosts)
                print(f"{place}  renewed, {self._until(place)}: send its {tls.CERTIFICATE} again")
            else:
                print(f"{place}  was there and stays as it is, {self._until(place)} (or --renew)")

    def _until(self, place: Path) -> str:
        shown = tls.Credentials.from_folder(place)
        return f"valid until {time.strftime('%d %b %Y', time.gmtime(shown.expires))}"

    def _make_authority(self) -> None:
        with _Unfinished(self._authority) as place:
            _new_key(place / CA_KEY)
            configuration = _configured(place, f"tinytf class {secrets.token_hex(4)}", [])
            self_signed = "req -new -x509 -sha256 -extensions authority".split()
            lasts = ["-days", AUTHORITY_DAYS, "-set_serial", _serial()]
            files = ["-config", configuration, "-key", place / CA_KEY, "-out", place / tls.CA]
            _openssl(*self_signed, *lasts, *files)
            configuration.unlink()

    def _make_member(self, place: Path, hosts: list[str]) -> None:
        with _Unfinished(place) as unfinished:
            _new_key(unfinished / tls.KEY)
            certificate = self._signed(place.name, hosts, unfinished / tls.KEY)
            (unfinished / tls.CERTIFICATE).write_bytes(certificate)
            shutil.copyfile(self._authority / tls.CA, unfinished / tls.CA)

    def _renew(self, place: Path, hosts: list[str]) -> None:
        write_file(place / tls.CERTIFICATE, self._signed(place.name, hosts, place / tls.KEY))

    def _signed(self, name: str, hosts: list[str], key: Path) -> bytes:
        """A certificate for a key."""
        with tempfile.TemporaryDirectory() as work:
            request, result = Path(work, "request"), Path(work, "result")
            configuration = _configured(Path(work), name, [*hosts, *_OWN_MACHINE])
            _openssl("req", "-new", "-config", configuration, "-key", key, "-out", request)
            signs = ["-CA", self._authority / tls.CA, "-CAkey", self._authority / CA_KEY]
            lasts = ["-days", self._days, "-set_serial", _serial(), "-sha256"]
            says = ["-extfile", configuration, "-extensions", "member"]
            _openssl("x509", "-req", "-in", request, *signs, *says, *lasts, "-out", result)
            return result.read_bytes()


class _Unfinished:
    """A new folder that gets its name when all is in it; nothing stays if something fails."""

    def __init__(self, final: Path):
        self._final = final

    def __enter__(self) -> Path:
        # For the owner only, from the first moment.
        self._path = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=self._final.parent))
        return self._path

    def __exit__(self, kind: object, *details: object) -> None:
        try:
            if kind is None:
                for file in self._path.iterdir():
                    with file.open("rb") as written:
                        os.fsync(written.fileno())
                os.rename(self._path, self._final)
        finally:
            shutil.rmtree(self._path, ignore_errors=True)


def _new_key(path: Path) -> None:
    _openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path)


def _serial() -> str:
    return f"0x{secrets.randbits(126) + 1:x}"


def _configured(folder: Path, name: str, hosts: Sequence[str]) -> Path:
    """A file that tells openssl what to make, so that the machine's own does not matter."""
    alternatives = ",".join(
        f"{'IP' if _is_address(h) else 'DNS'}:{h}" for h in dict.fromkeys(hosts)
    )
    path = folder / "configuration"
    path.write_text(_CONFIGURATION.format(name=name, alternatives=alternatives or "DNS:localhost"))
    return path


def _openssl(*arguments: object) -> None:
    command = ["openssl", *map(str, arguments)]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            umask=0o077,
            check=False,
        )
    except FileNotFoundError:
        raise ValueError(
            "The program openssl is needed, and not on this machine's path: install it (Debian: "
            "apt-get install openssl)."
        ) from None
    if done.returncode:
        raise ValueError(f"openssl {command[1]} failed: {done.stderr.strip()}")


# ------------------------------------------------------------------------------- who is meant


def _members(hosts: Sequence[str], students: Sequence[str]) -> dict[str, list[str]]:
    """Name of the folder -> the hosts that the certificate is for."""
    found: dict[str, list[str]] = {}
    for text in hosts:
        names = text.split(",")
        _add(found, names[0], names)
        for name in names:
            _check_name(name)
    for name in students:
        _add(found, name, [])
    return found


def _add(found: dict[str, list[str]], name: str, hosts: list[str]) -> None:
    _check_name(name)
    if name == AUTHORITY:
        raise ValueError(f"'{AUTHORITY}' is the folder of the class's own key: take another name.")
    if name in found:
        raise ValueError(f"'{name}' is named twice.")
    found[name] = hosts


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name) or (":" in name and not _is_address(name)):
        raise ValueError(
            f"{name!r} cannot be the name of a host or a student here: take up to 63 letters, "
            f"digits, dots and hyphens."
        )


def _existing(folder: Path) -> dict[str, list[str]]:
    """The members of a class, with the hosts that their certificates are for now."""
    found = {}
    for place in sorted(folder.glob("*/")):
        if place.name != AUTHORITY and (place / tls.CERTIFICATE).exists():
            found[place.name] = list(tls.names_in(place))
    return found


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
