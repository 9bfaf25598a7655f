#pragma once
#include <stdbool.h>
#include <malloc.h>
#include <stdint.h>
#include <mosquitto.h>
#include <mosquitto_broker.h>
#include <mosquitto_plugin.h>
#include <mqtt_protocol.h>

/// `mosquitto_log_printf` takes a variable number of arguments, which Swift cannot pass.
static inline void parley_broker_log(int level, const char *message) {
    mosquitto_log_printf(level, "%s", message);
}
