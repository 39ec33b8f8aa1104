"""A mail server (aiosmtpd) that takes mail only over STARTTLS, from who signs in as harit, and says on standard output what came:
its port first, then a JSON object for each mail and each refusal. To grey@ it says "later" (451) once, to gone@ "no" (550).

    smtp.py CERTIFICATE KEY
"""

import asyncio
import email
import email.policy
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult


def say(what):
    print(json.dumps(what, ensure_ascii=False), flush=True)


class Handler:
    def __init__(self):
        self.later = {"grey@b.test"}

    async def handle_RCPT(self, server, session, envelope, address, options):  # noqa: N802: aiosmtpd's name
        if address in self.later:
            self.later.remove(address)
            say({"refused": address, "code": 451})
            return "451 4.7.1 greylisted, try again later"
        if address.startswith("gone@"):
            say({"refused": address, "code": 550})
            return "550 5.1.1 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):  # noqa: N802
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        parts = {part.get_content_type(): part.get_content() for part in mail.walk() if not part.is_multipart()}
        say(
            {
                "from": envelope.mail_from,
                "to": envelope.rcpt_tos,
                "tls": session.ssl is not None,
                "headers": {name: str(value) for name, value in mail.items()},
                "defects": [str(defect) for part in mail.walk() for defect in part.defects],
                "parts": parts,
                "longest_line": max(map(len, envelope.content.split(b"\r\n"))),
            }
        )
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    return AuthResult(success=(data.login, data.password) == (b"harit", "पासवर्ड".encode()))


async def main(certificate, key):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    handler = Handler()

    def connection():
        return SMTP(handler, require_starttls=True, tls_context=context, auth_required=True, authenticator=authenticate)

    server = await asyncio.get_running_loop().create_server(connection, "127.0.0.1", 0)
    say(server.sockets[0].getsockname()[1])
    await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
