/// How surely a message arrives (MQTT 5 §4.3).
///
/// QoS 2 is left out on purpose: libmosquitto acknowledges it before anybody has seen the message.
package enum QoS: UInt8, Hashable, Sendable {
    case atMostOnce = 0
    case atLeastOnce = 1
}
