"""Who a program is on the network: a certificate of the class, and whom it trusts.

A folder holds three files, as `tinytf certificates` makes them: `ca.pem`, the class's authority;
`certificate.pem`, signed by it; and `key.pem`, which nobody else may read. Servers and clients
show each other their certificates, and go on only if the same authority has signed both.

    tf.train.Server(..., credentials=Credentials.from_folder("certs/a.example"))
    tf.Session("grpc://a.example:2222", credentials=Credentials.from_folder("certs/anna"))

Without the argument, both use the folder that the environment variable TINYTF_TLS names, if any.
"""

from __future__ import annotations

import ipaddress
import os
import ssl
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tinytf.framework.errors import InvalidArgumentError, OpError, UnauthenticatedError
from tinytf.framework.files import as_op_error

#: Names the folder of a process's credentials.
VARIABLE = "TINYTF_TLS"
CA, CERTIFICATE, KEY = "ca.pem", "certificate.pem", "key.pem"

#: OpenSSL's X509_V_FLAG_NO_CHECK_TIME, which the module ssl has no name for.
_ANY_TIME = 0x200000
_BY_OTHERS = 0o007


@dataclass(frozen=True)
class Credentials:
    """A certificate, its key, and the authority that both ends trust; made by `from_folder`.

    Attributes:
      folder: where they are from.
      authority, certificate, key: the three files.
      names: hosts that the certificate is for. expires: seconds since 1970.

    Example:
      >>> mine = tinytf.distributed.tls.Credentials.from_folder("certs/anna")
      >>> session = tf.Session("grpc://a.example:2222", credentials=mine)
    """

    folder: str
    authority: bytes = field(repr=False)
    certificate: bytes = field(repr=False)
    key: bytes = field(repr=False)
    names: tuple[str, ...]
    expires: float

    @staticmethod
    def from_folder(folder: str | os.PathLike[str]) -> Credentials:
        """Read and check the three files of a folder.

        Raises:
          NotFoundError: if one is missing. UnauthenticatedError: if the key can be read by
          everybody on the machine, belongs to another certificate, or the certificate is of
          another authority, or not valid today.
        """
        folder = os.fspath(folder)
        files = {name: _read(Path(folder, name)) for name in (CA, CERTIFICATE, KEY)}
        shown = _checked(folder)
        return Credentials(
            folder,
            files[CA],
            files[CERTIFICATE],
            files[KEY],
            _names(shown),
            ssl.cert_time_to_seconds(shown["notAfter"]),
        )

    def check_host(self, host: str) -> None:
        """InvalidArgumentError if a server under this name could not prove that it is it."""
        wanted = host.strip("[]")
        if not any(_matches(wanted, name) for name in self.names):
            raise InvalidArgumentError(
                f"The certificate in {self.folder} is for {', '.join(self.names) or 'no host'}, "
                f"not for '{wanted}', so no client would talk to a server of that name. Make one "
                f"that is: tinytf certificates --host {wanted}"
            )

    def client_context(self) -> ssl.SSLContext:
        """What Python's own `ssl` needs for a client."""
        return _context(ssl.PROTOCOL_TLS_CLIENT, self.folder)


def from_environment() -> Credentials | None:
    """The credentials that TINYTF_TLS names; errors as of `Credentials.from_folder`."""
    folder = os.environ.get(VARIABLE, "")
    if not folder:
        return None
    try:
        return Credentials.from_folder(folder)
    except OpError as error:
        raise type(error)(
            f"{error.message} (The environment variable {VARIABLE} names this folder.)"
        ) from None


def chosen(credentials: Any) -> Credentials | None:
    """The argument `credentials`, or else those of the environment; TypeError for what is none."""
    if credentials is None:
        return from_environment()
    if not isinstance(credentials, Credentials):
        raise TypeError(
            f"`credentials` must be a tinytf.distributed.tls.Credentials, got "
            f"{type(credentials).__name__}. Credentials.from_folder('certs/name') makes one."
        )
    return credentials


def _read(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        mode = path.stat().st_mode
    except OSError as error:
        raise type(found := as_op_error(error, path))(
            f"{found.message}. Credentials are a folder with {CA}, {CERTIFICATE} and {KEY}, as "
            f"`tinytf certificates` makes it."
        ) from None
    if path.name == KEY and os.name == "posix" and mode & _BY_OTHERS:
        raise UnauthenticatedError(
            f"{path}: everybody on this machine can read this key, and be you with it. Make it "
            f"private: chmod 600 {path}"
        )
    return content


def _context(kind: int, folder: str) -> ssl.SSLContext:
    context = ssl.SSLContext(kind)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(Path(folder, CERTIFICATE), Path(folder, KEY))
    context.load_verify_locations(Path(folder, CA))
    context.verify_mode = ssl.CERT_REQUIRED
    return context


def _checked(folder: str) -> dict[str, Any]:
    """What the certificate says, after it has convinced itself, as it would a peer."""
    try:
        shown = _shake_hands(folder)
    except ssl.SSLCertVerificationError:
        raise UnauthenticatedError(
            f"{Path(folder, CERTIFICATE)} is not signed by the authority in "
            f"{Path(folder, CA)}: they are of two classes. Take both from one folder that "
            f"`tinytf certificates` made."
        ) from None
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            text = f"{KEY} does not belong to {CERTIFICATE}; take both from one folder"
        else:
            text = f"the files are damaged or not in the PEM format ({error.reason or error})"
        raise UnauthenticatedError(f"{folder}: {text}.") from None
    begin, end = (ssl.cert_time_to_seconds(shown[key]) for key in ("notBefore", "notAfter"))
    if not begin <= time.time() <= end:
        now = time.strftime("%b %d %H:%M:%S %Y GMT", time.gmtime())
        raise UnauthenticatedError(
            f"{Path(folder, CERTIFICATE)} is valid from {shown['notBefore']} to "
            f"{shown['notAfter']}; now it is {now}"
            f". Whoever made it can make it valid again: tinytf certificates --renew"
        )
    return shown


def _shake_hands(folder: str) -> dict[str, Any]:
    """A handshake of the certificate with itself, in memory, whatever the time is."""
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    contexts = [
        _context(kind, folder) for kind in (ssl.PROTOCOL_TLS_SERVER, ssl.PROTOCOL_TLS_CLIENT)
    ]
    contexts[1].check_hostname = False
    for context in contexts:
        context.verify_flags |= _ANY_TIME
    server = contexts[0].wrap_bio(there, back, server_side=True)
    client = contexts[1].wrap_bio(back, there)
    done = 0
    while done < 2:
        done = 0
        for end in (client, server):
            try:
                end.do_handshake()
                done += 1
            except ssl.SSLWantReadError:
                continue  # it is the other's turn
    return server.getpeercert() or {}


def names_in(folder: str | os.PathLike[str]) -> tuple[str, ...]:
    """The hosts that the certificate in a folder is for, whether it is still valid or not."""
    return _names(_shake_hands(os.fspath(folder)))


def _names(shown: dict[str, Any]) -> tuple[str, ...]:
    return tuple(
        str(ipaddress.ip_address(name)) if kind == "IP Address" else name.lower()
        for kind, name in shown.get("subjectAltName", ())
        if kind in ("DNS", "IP Address")
    )


def _matches(host: str, name: str) -> bool:
    try:
        return str(ipaddress.ip_address(host)) == name
    except ValueError:
        host = host.lower()
    return host == name or (name.startswith("*.") and host.partition(".")[2] == name[2:])
