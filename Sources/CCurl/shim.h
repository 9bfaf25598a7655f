#pragma once
// libcurl's functions of variable arguments, one for each type of argument, and the few of OpenSSL by which all of its
// connections share one store of certificates.
#include <curl/curl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

static inline CURLcode parley_easy_set_number(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode parley_easy_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

// libcurl copies the text.
static inline CURLcode parley_easy_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode parley_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

typedef size_t (*parley_bytes_callback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*parley_seek_callback)(void *context, curl_off_t offset, int origin);
typedef int (*parley_prerequest_callback)(
    void *context, char *remote, char *local, int remote_port, int local_port);
typedef curl_socket_t (*parley_open_callback)(
    void *context, curlsocktype purpose, struct curl_sockaddr *address);
typedef CURLcode (*parley_tls_callback)(CURL *easy, void *tls, void *context);

// All callbacks of a transfer, with one context; stops at the first that is not taken.
static inline CURLcode parley_easy_set_callbacks(
    CURL *easy, void *context, parley_bytes_callback read, parley_seek_callback seek, parley_bytes_callback header,
    parley_bytes_callback write, parley_prerequest_callback prerequest, parley_open_callback open,
    parley_tls_callback tls) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_PRIVATE, context);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_READDATA, context);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_READFUNCTION, read);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, header);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, write);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, prerequest);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, context);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, tls);
    return code;
}

static inline CURLcode parley_easy_number(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode parley_easy_size(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode parley_easy_socket(CURL *easy, CURLINFO info, curl_socket_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline void *parley_easy_context(CURL *easy) {
    void *context = NULL;
    return curl_easy_getinfo(easy, CURLINFO_PRIVATE, &context) ? NULL : context;
}

static inline CURLMcode parley_multi_set_number(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode parley_multi_set_callbacks(
    CURLM *multi, void *context, curl_socket_callback socket, curl_multi_timer_callback timer) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    if (!code) code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    if (!code) code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    if (!code) code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    return code;
}

// The next transfer that has ended, and how; NULL if there is none.
static inline CURL *parley_multi_next_done(CURLM *multi, CURLcode *result) {
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

// Whether PEM_read_bio_X509 has stopped because no certificate follows.
static inline int parley_pem_is_at_end(void) {
    unsigned long error = ERR_peek_last_error();
    ERR_clear_error();
    return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

// A macro.
static inline int parley_tls_set_store(SSL_CTX *tls, X509_STORE *store) {
    SSL_CTX_set1_cert_store(tls, store);
    return SSL_CTX_set1_verify_cert_store(tls, store);
}
