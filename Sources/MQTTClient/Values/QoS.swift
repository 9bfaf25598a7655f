/// The guarantee of delivery (MQTT 5 §4.3).
///
/// There is no QoS 2 on purpose: libmosquitto acknowledges it before anybody has seen the message.
package enum QoS: UInt8, Hashable, Sendable {
    case atMostOnce = 0
    case atLeastOnce = 1
}
