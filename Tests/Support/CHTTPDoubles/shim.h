#pragma once
// For servers in tests: frames of HTTP/2, and TLS.
#include <nghttp2/nghttp2.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

typedef int (*double_alpn_callback)(
    SSL *tls, const unsigned char **out, unsigned char *out_length, const unsigned char *in, unsigned int in_length,
    void *context);
