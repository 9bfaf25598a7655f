#pragma once
#include <arpa/inet.h>
#include <linux/sockios.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <mosquitto.h>
#include <mosquitto_broker.h>
#include <mosquitto_plugin.h>
#include <mqtt_protocol.h>

/// `mosquitto_log_printf` takes a variable number of arguments, which Swift cannot pass.
static inline void parley_broker_log(int level, const char *message) {
    mosquitto_log_printf(level, "%s", message);
}

/// Exported by Debian's broker, in no header; absent from one that does not count its memory.
unsigned long mosquitto__memory_used(void) __attribute__((weak));

static inline long parley_broker_memory_used(void) {
    unsigned long used = mosquitto__memory_used ? mosquitto__memory_used() : 0;
    // A count that went below nothing is none.
    return (long)used < 0 ? 0 : (long)used;
}

/// `malloc_trim` is in no module that Swift imports.
static inline void parley_trim_memory(void) { malloc_trim(0); }

/// Has what is freed joined with its neighbours at once, and not all together later (`M_MXFAST`).
static inline void parley_join_freed_memory(void) { mallopt(M_MXFAST, 0); }

/// The number of a client's socket, which no function of this broker's tells; -1 if there is none.
///
/// `struct mosquitto` of 2.0, built for epoll, begins with `int ident`, 2 for a client, and `mosq_sock_t sock`, also for a
/// WebSocket client. Whoever asks checks that it is this client's.
static inline int parley_client_socket(const struct mosquitto *client) {
    const int *fields = (const int *)client;
    return fields[0] == 2 ? fields[1] : -1;
}

/// `SO_COOKIE`: a number that the kernel gives to one socket and to no other until it is started again.
static inline bool parley_socket_cookie(int number, uint64_t *cookie) {
    socklen_t length = sizeof *cookie;
    return getsockopt(number, SOL_SOCKET, SO_COOKIE, cookie, &length) == 0 && length == sizeof *cookie;
}

/// `getpeername`, as text; only of a socket of the internet.
static inline bool parley_socket_peer(int number, char *text, socklen_t size) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getpeername(number, (struct sockaddr *)&address, &length) != 0) return false;
    switch (address.ss_family) {
    case AF_INET: return inet_ntop(AF_INET, &((struct sockaddr_in *)&address)->sin_addr, text, size) != NULL;
    case AF_INET6: return inet_ntop(AF_INET6, &((struct sockaddr_in6 *)&address)->sin6_addr, text, size) != NULL;
    default: return false;
    }
}

/// The beginning of `struct tcp_info` of linux/tcp.h. That of the C library ends before `tcpi_bytes_acked`, and only
/// one of the two headers can be included.
struct parley_tcp_info {
    uint8_t before_bytes_acked[120];
    uint64_t bytes_acked;
    uint64_t bytes_received;
};

/// `TCP_INFO`, `SIOCINQ`, `SIOCOUTQ`: how many bytes a program has read from a TCP socket since it was connected, and how
/// many it has written.
static inline bool parley_socket_bytes(int number, uint64_t *read, uint64_t *written) {
    struct parley_tcp_info info;
    socklen_t length = sizeof info;
    int unread = 0, unacknowledged = 0;
    if (getsockopt(number, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 || length < sizeof info) return false;
    if (ioctl(number, SIOCINQ, &unread) != 0 || unread < 0) return false;
    if (ioctl(number, SIOCOUTQ, &unacknowledged) != 0 || unacknowledged < 0) return false;
    *written = info.bytes_acked + (uint64_t)unacknowledged;
    *read = info.bytes_received > (uint64_t)unread ? info.bytes_received - (uint64_t)unread : 0;
    return true;
}
