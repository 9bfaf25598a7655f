"""How a device names, certifies and seals in direct conversations (encryption.md, protocol.md): pure functions over
bytes and records. ../vectors has values for each."""
import base64, hashlib, os, uuid
from datetime import datetime, timezone

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

SUITE = "x25519-hkdf-sha256-aes256gcm"

def text(data): return base64.b64encode(data).decode()
def raw(text): return base64.b64decode(text)
def moment(time): return datetime.fromisoformat(time).timestamp()
def now(): return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
def blake(data): return hashlib.blake2b(data, digest_size=32).digest()
def public(secret): return X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()

def fields(*values):
    values = [value if isinstance(value, bytes) else str(value).encode() for value in values]
    return b"".join(len(value).to_bytes(2, "big") + value for value in values)

def direct_conversation(one, other):
    digest = bytearray(hashlib.sha256(fields(*sorted([one.encode(), other.encode()]))).digest()[:16])
    digest[6], digest[8] = digest[6] & 0x0F | 0x80, digest[8] & 0x3F | 0x80
    return str(uuid.UUID(bytes=bytes(digest)))

def certified_part(user, device, entry, issued_at):
    keys = raw(entry["identity_key"]), raw(entry["signing_key"])
    return fields("parley/v1 device", user, device, *keys, round(moment(issued_at) * 1000))

def is_certified(account, user, entry):
    """Whether the account key has signed a device's keys, as `keys/get` lists them."""
    if not account or not entry["certificate"]: return False
    part = certified_part(user, entry["device_id"], entry, entry["issued_at"])
    try: Ed25519PublicKey.from_public_bytes(raw(account)).verify(raw(entry["certificate"]), part)
    except InvalidSignature: return False
    return True

def certify(account, user, device, entry, issued_at):
    """Fields of `keys/publish`; `account` is the secret half of the account key."""
    key = Ed25519PrivateKey.from_private_bytes(account)
    proof = key.sign(certified_part(user, device, entry, issued_at))
    account_key = text(key.public_key().public_bytes_raw())
    return {"account_key": account_key, "certificate": text(proof), "issued_at": issued_at}

def sign_keys(signing, user, device, identity):
    """Fields of `keys/publish`; `signing` is the secret half of the signing key."""
    key = Ed25519PrivateKey.from_private_bytes(signing)
    proof = key.sign(fields("parley/v1 keys", user, device, identity))
    signing_key = text(key.public_key().public_bytes_raw())
    return {"identity_key": text(identity), "signing_key": signing_key, "signature": text(proof)}

def header(record):
    names = "suite conversation_id id sender_id sender_device_id message_type reply_to kind target_id".split()
    lifetime = record.get("expires_in") or ""
    if record.get("expires_at"): lifetime = int(moment(record["expires_at"]) - moment(record["created_at"]))
    return fields("parley/v1", *(record.get(name) or "" for name in names), lifetime)

def pairwise_key(secret, other, conversation, sender, recipient):
    shared = X25519PrivateKey.from_private_bytes(secret).exchange(X25519PublicKey.from_public_bytes(other))
    return HKDF(SHA256(), 32, conversation.encode(), b"parley/v1\0" + sender + recipient).derive(shared)

def seal(record, content, secret, devices, random=os.urandom):
    """`devices`: user, device, identity key of each other device, and whether the key may be used."""
    nonce, content_key, bound, keys = random(12), random(32), header(record), []
    sealed = AESGCM(content_key).encrypt(nonce, content, bound)
    for user, device, identity, is_trusted in devices:
        wrapped = bytes(16)  # says that the device is left out
        if is_trusted:
            key = pairwise_key(secret, identity, record["conversation_id"], public(secret), identity)
            wrapped = random(12)
            wrapped += AESGCM(key).encrypt(wrapped, content_key, blake(bound + nonce + sealed))
        names = {"user_id": user, "device_id": device, "key_id": text(blake(identity)[:8])}
        keys.append(names | {"encrypted_key": text(wrapped)})
    return {"nonce": text(nonce), "encrypted_content": text(sealed), "recipient_keys": keys}

def unseal(record, user, device, secret, sender):
    key = pairwise_key(secret, sender, record["conversation_id"], sender, public(secret))
    bound, nonce, sealed = header(record), raw(record["nonce"]), raw(record["encrypted_content"])
    for entry in record["recipient_keys"] or ():
        if (entry["user_id"], entry["device_id"]) == (user, device):
            wrapped = raw(entry["encrypted_key"])
            key = AESGCM(key).decrypt(wrapped[:12], wrapped[12:], blake(bound + nonce + sealed))
    return AESGCM(key).decrypt(nonce, sealed, bound)
