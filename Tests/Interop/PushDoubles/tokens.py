"""JSON Web Tokens (RFC 7519), as the services check them: ES256 and RS256, and nothing else."""

import json
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from authority import from_base64url


class BadToken(Exception):
    """Not a token, or not signed by that key."""


@dataclass(frozen=True)
class Token:
    header: dict[str, Any]
    claims: dict[str, Any]

    def time(self, name: str) -> int:
        """A claim that is a time, in seconds."""
        value = self.claims.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise BadToken(f"{name} is no whole number of seconds")
        return value


def read_token(text: str, key: ec.EllipticCurvePublicKey | rsa.RSAPublicKey) -> Token:
    """Checks the signature. The algorithm is the key's, whatever the header would like."""
    try:
        head, body, seal = text.split(".")
        token = Token(json.loads(from_base64url(head)), json.loads(from_base64url(body)))
        signature, signed = from_base64url(seal), f"{head}.{body}".encode()
    except ValueError as error:
        raise BadToken(f"not a token: {error}") from None
    algorithm = "ES256" if isinstance(key, ec.EllipticCurvePublicKey) else "RS256"
    if token.header.get("alg") != algorithm:
        raise BadToken(f"alg is {token.header.get('alg')} and not {algorithm}")
    try:
        if isinstance(key, ec.EllipticCurvePublicKey):
            if len(signature) != 64:
                raise BadToken(f"a signature of {len(signature)} bytes and not of 64")
            r, s = (int.from_bytes(half, "big") for half in (signature[:32], signature[32:]))
            key.verify(encode_dss_signature(r, s), signed, ec.ECDSA(hashes.SHA256()))
        else:
            key.verify(signature, signed, padding.PKCS1v15(), hashes.SHA256())
    except InvalidSignature:
        raise BadToken("the signature does not hold") from None
    return token
