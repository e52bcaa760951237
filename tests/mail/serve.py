"""A mail server on free ports of loopback: one with STARTTLS, one with TLS from the start, both
with a certificate of their own and a password.

Prints a line of JSON when it is ready: `starttls` and `smtps` (ports), `ca` (a PEM file), `folder`
(each mail that was taken is a file there, with its envelope above it). Serves until it is ended.
Refuses for good whom `refused` is in the name of, and for now whom `later` is.
"""

import asyncio
import json
import pathlib
import ssl
import sys

import trustme
from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

folder = pathlib.Path(sys.argv[1])
mails = folder / "mails"
mails.mkdir(parents=True, exist_ok=True)
count = 0


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if "refused" in address:
            return "550 5.1.1 nobody of this name is here"
        if "later" in address:
            return "451 4.3.0 come back later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        global count
        count += 1
        name = f"{count:04}"
        secure = "TLS" if server.transport.get_extra_info("ssl_object") else "plain"
        text = f"To: {','.join(envelope.rcpt_tos)}\nBy: {secure}\n\n".encode() + envelope.content
        (mails / f"{name}.part").write_bytes(text)
        (mails / f"{name}.part").rename(mails / f"{name}.eml")
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    good = isinstance(data, LoginPassword) and (data.login, data.password) == (b"accrue", b"p@ss word")
    return AuthResult(success=good)


authority = trustme.CA()
authority.cert_pem.write_to_path(str(folder / "ca.pem"))
certificate = authority.issue_cert("localhost", "127.0.0.1")
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
certificate.configure_cert(context)


async def start(ssl_context=None, **more):
    def session():
        return SMTP(Handler(), hostname="localhost", authenticator=authenticate, auth_required=True, **more)

    loop = asyncio.get_running_loop()
    server = await loop.create_server(session, "127.0.0.1", 0, ssl=ssl_context)
    return server.sockets[0].getsockname()[1]


async def main():
    ready = {
        "starttls": await start(tls_context=context, require_starttls=True),
        "smtps": await start(context, auth_require_tls=False),
        "ca": str(folder / "ca.pem"),
        "folder": str(mails),
    }
    print(json.dumps(ready), flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
