"""A certificate authority of the doubles' own, and the keys that their customers get."""

import base64
import datetime
import ipaddress
import json
import secrets
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

NAMES = ["localhost", "push.test"]
ADDRESSES = ["127.0.0.1", "::1"]


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(text: str) -> bytes:
    """An error for what is none, or is padded."""
    if set(text) & set("+/="):
        raise ValueError("not base64url without padding")
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def private_pem(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def write_secret(file: Path, content: bytes) -> Path:
    """A file that nobody else reads."""
    file.touch(mode=0o600)
    file.write_bytes(content)
    return file


@dataclass(frozen=True)
class Certificates:
    """Files in PEM: the authority's certificate, and the doubles' own with its key."""

    authority: Path
    certificate: Path
    key: Path


def make_certificates(directory: Path) -> Certificates:
    """An authority that signs one certificate, for all names and addresses of this machine."""
    made = Certificates(*(directory / name for name in ("authority.pem", "service.pem", "service.key")))
    now = datetime.datetime.now(datetime.UTC)

    def certificate(name: str, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=2))
        )

    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = (
        certificate("Push doubles", authority_key)
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Push doubles")]))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key()), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    names: list[x509.GeneralName] = [x509.DNSName(name) for name in NAMES]
    names += [x509.IPAddress(ipaddress.ip_address(address)) for address in ADDRESSES]
    service = (
        certificate("localhost", key)
        .issuer_name(authority.subject)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    made.authority.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    made.certificate.write_bytes(service.public_bytes(serialization.Encoding.PEM))
    write_secret(made.key, private_pem(key))
    return made


@dataclass(frozen=True)
class AppleAccount:
    """What Apple gives a developer: a key with its id, and the id of the team."""

    key: ec.EllipticCurvePrivateKey
    key_id: str = "DOUBLE1234"
    team_id: str = "TEAM567890"

    def write(self, directory: Path) -> Path:
        return write_secret(directory / f"AuthKey_{self.key_id}.p8", private_pem(self.key))


@dataclass(frozen=True)
class GoogleAccount:
    """A service account."""

    key: rsa.RSAPrivateKey
    project: str = "parley-doubles"

    @property
    def email(self) -> str:
        return f"push@{self.project}.iam.gserviceaccount.com"

    def write(self, directory: Path, token_uri: str) -> Path:
        """As the console gives it to be downloaded."""
        account = {
            "type": "service_account", "project_id": self.project, "private_key_id": secrets.token_hex(20),
            "private_key": private_pem(self.key).decode(), "client_email": self.email,
            "client_id": "100000000000000000000", "auth_uri": "https://accounts.google.com/o/oauth2/auth",
            "token_uri": token_uri,
        }  # fmt: skip
        return write_secret(directory / "service-account.json", json.dumps(account, indent=2).encode())


def make_apple_account() -> AppleAccount:
    return AppleAccount(ec.generate_private_key(ec.SECP256R1()))


def make_google_account() -> GoogleAccount:
    return GoogleAccount(rsa.generate_private_key(public_exponent=65537, key_size=2048))
