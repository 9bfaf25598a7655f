#pragma once
#include <libpq-fe.h>
#include <openssl/ssl.h>

/// How many bytes of a connection's TLS are decrypted and not yet read by libpq (`SSL_pending`): `poll` does not see
/// them. 0 without TLS.
static inline int parley_pending_tls_bytes(PGconn *connection) {
    SSL *tls = (SSL *)PQsslStruct(connection, "OpenSSL");
    return tls != NULL ? SSL_pending(tls) : 0;
}
