"""Creates TLS certificates for a private cluster. Every holder of the key has full access.

Dask does not compare host names, so one certificate serves all machines. The key of the authority
is needed only here, and never written to a file.
"""

import datetime
import os
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

CA, CERT, KEY = "ca.pem", "cert.pem", "key.pem"

EARLIER = datetime.timedelta(hours=1)
"""Certificates are valid from this long ago, because clocks differ."""


def make_certificates(folder: Path, days: int) -> list[Path]:
    """Write an authority's certificate, a certificate signed by it, and that one's key.

    Raises `FileExistsError`, and other `OSError`.
    """
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = _name("Pythagoras cluster authority")
    critical, plain = True, False
    ca = (
        _builder(authority, authority, authority_key, days)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical)
        .add_extension(_usage(signs_certificates=True), critical)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key()), plain)
        .sign(authority_key, hashes.SHA256())
    )
    both = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    cert = (
        _builder(_name("Pythagoras cluster"), authority, key, days)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical)
        .add_extension(_usage(signs_certificates=False), critical)
        .add_extension(x509.ExtendedKeyUsage(both), plain)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), plain
        )
        .sign(authority_key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    contents = {CA: ca.public_bytes(pem), CERT: cert.public_bytes(pem), KEY: private}
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name in contents:
        if (folder / name).exists():
            raise FileExistsError(17, os.strerror(17), str(folder / name))
    for name, content in contents.items():
        descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
    return [folder / name for name in contents]


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, days: int
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - EARLIER)
        .not_valid_after(now + datetime.timedelta(days=days))
    )


def _usage(signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True, content_commitment=False, key_encipherment=False,
        data_encipherment=False, key_agreement=False, key_cert_sign=signs_certificates,
        crl_sign=signs_certificates, encipher_only=False, decipher_only=False,
    )  # fmt: skip
