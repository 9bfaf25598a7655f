#pragma once
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
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
