"""Why a connection with TLS, or without, does not come about: what gRPC says in other words.

gRPC reports all of it as "unavailable", with the words of its library, and half of the cases as
"socket closed". Where its words do not tell, a handshake by Python's own `ssl` does.
"""

from __future__ import annotations

import socket
import ssl

from tinytf.distributed.tls import VARIABLE, Credentials
from tinytf.framework.errors import UnauthenticatedError

#: How long a server that is there may take for a handshake.
SECONDS = 2.0
#: OpenSSL's numbers of what is wrong with a certificate.
_NOT_YET, _EXPIRED, _OTHER_NAME, _OTHER_ADDRESS = 9, 10, 62, 64

_PLAIN_SERVER = (
    "it speaks without TLS, so nobody can say who it is. Start it with credentials of your class "
    "(tinytf serve --tls FOLDER); or, if it is one of yours on this very machine, connect without: "
    f"no `credentials`, and the environment variable {VARIABLE} not set."
)
_TLS_SERVER = (
    "it talks to programs with a certificate of its class only. Show yours: "
    "tf.Session(..., credentials=Credentials.from_folder('certs/you')), of "
    f"tinytf.distributed.tls, or {VARIABLE}=certs/you in the environment, before the program "
    "starts."
)
_OTHER_CLASS = (
    "its certificate is of another class: the authority in {folder} has not signed it. Use the "
    "folder that the class's `tinytf certificates` made for you, and check the address."
)
_HOST = (
    "its certificate is not for the name '{host}'. Use a name that it has, or make a certificate "
    "with this one: tinytf certificates --host {host}"
)
_TIME = (
    "its certificate has expired, or is not valid yet (is the clock right?). Whoever made it can "
    "make it valid again: tinytf certificates --renew"
)
_REFUSED = (
    "it refuses the certificate in {folder}, which has expired or is of another class (the server "
    "logs which). Use the folder that the class's `tinytf certificates` made for you."
)

#: gRPC's words -> ours; the first that fits.
_WORDS = {
    "WRONG_VERSION_NUMBER": _PLAIN_SERVER,
    "Hostname Verification Check failed": _HOST,
    "certificate has expired": _TIME,
    "certificate is not yet valid": _TIME,
    "CERTIFICATE_VERIFY_FAILED": _OTHER_CLASS,
}


def explained(
    details: str, address: str, credentials: Credentials | None
) -> UnauthenticatedError | None:
    """What gRPC's words mean, if they are about certificates. Does not wait."""
    if credentials is not None:
        for words, text in _WORDS.items():
            if words in details:
                return _error(address, credentials, text)
    return None


def looked_into(
    address: str, credentials: Credentials | None, seconds: float = SECONDS
) -> UnauthenticatedError | None:
    """Try a handshake, for so long at most; None if TLS, or its absence, is no obstacle."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), seconds) as plain:
            text = _handshake(plain, host.strip("[]"), credentials)
    except (OSError, ValueError, UnicodeError):
        return None  # nobody is there, or the network fails: not our question
    return None if text is None else _error(address, credentials, text)


def _error(address: str, credentials: Credentials | None, text: str) -> UnauthenticatedError:
    folder = credentials.folder if credentials else ""
    host = address.rpartition(":")[0].strip("[]")
    words = text.format(folder=folder, host=host)
    return UnauthenticatedError(f"No connection to grpc://{address}: {words}")


def _handshake(plain: socket.socket, host: str, credentials: Credentials | None) -> str | None:
    """What is wrong, if anything."""
    if credentials is None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    else:
        context = credentials.client_context()
    context.set_alpn_protocols(["h2"])
    is_in = False
    try:
        with context.wrap_socket(plain, server_hostname=host) as secure:
            is_in = True
            if credentials is None:
                return _TLS_SERVER
            # A server that likes our certificate speaks first; one that does not hangs up.
            return None if secure.recv(1) else _REFUSED
    except ssl.SSLCertVerificationError as error:
        return _of_certificate(error.verify_code)
    except ssl.SSLError as error:
        was_told = "ALERT" in (error.reason or "")
        if credentials is None:
            return _TLS_SERVER if was_told else None
        return _REFUSED if is_in or was_told else _PLAIN_SERVER
    except ConnectionResetError:
        return _REFUSED if is_in else None


def _of_certificate(code: int) -> str:
    if code in (_OTHER_NAME, _OTHER_ADDRESS):
        return _HOST
    return _TIME if code in (_NOT_YET, _EXPIRED) else _OTHER_CLASS
