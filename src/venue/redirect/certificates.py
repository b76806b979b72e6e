"""A certificate authority for the exchange's names only, made for one command.

The authority's key is never written. The certificate's key is written for as long as reading it
takes: the interpreter reads keys from files alone.
"""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from venue.files import private_files
from venue.redirect.hosts import CERTIFIED, DOMAIN

AUTHORITY: Final = "authority.pem"
BEFORE: Final = timedelta(days=2)  # the time zone of a clock may be set wrong
VALID: Final = timedelta(days=396)  # some programs refuse more


def make(folder: Path) -> ssl.SSLContext:
    """Return a server's TLS with a new certificate; the authority's goes to `folder`. Raises
    OSError."""
    signer = ec.generate_private_key(ec.SECP256R1())
    key = ec.generate_private_key(ec.SECP256R1())
    authority = _authority(signer)
    certificate = _certificate(authority, signer, key.public_key())
    private_files.write(folder / AUTHORITY, _pem(authority))
    chain = folder / "certificate.pem"
    private_files.write(chain, _pem(certificate) + _pem(authority) + _key_pem(key))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(chain)
    finally:
        chain.unlink()
    return context


def _authority(signer: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    """Make an authority that can certify the exchange's names, and no other name."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "venue with: this command alone")])
    usage = x509.KeyUsage(
        key_cert_sign=True, crl_sign=True, digital_signature=False, content_commitment=False,
        key_encipherment=False, data_encipherment=False, key_agreement=False, encipher_only=False,
        decipher_only=False,
    )  # fmt: skip
    permitted = x509.NameConstraints([x509.DNSName(DOMAIN)], None)
    return (
        _begin(name, name, signer.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(permitted, critical=True)
        .sign(signer, hashes.SHA256())
    )


def _certificate(
    authority: x509.Certificate, signer: ec.EllipticCurvePrivateKey, key: ec.EllipticCurvePublicKey
) -> x509.Certificate:
    """Return the certificate of the exchange's names."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, DOMAIN)])
    names = x509.SubjectAlternativeName([x509.DNSName(one) for one in CERTIFIED])
    identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key())
    return (
        _begin(name, authority.subject, key)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(names, critical=False)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(identifier, critical=False)
        .sign(signer, hashes.SHA256())
    )


def _begin(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    """Start a certificate with the fields that both have."""
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BEFORE)
        .not_valid_after(now + VALID)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
