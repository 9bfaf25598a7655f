/// The number that connects a packet with its acknowledgement (MQTT 5 §2.2.1).
package struct PacketIdentifier: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }
}

/// The broker's answer to a QoS 1 publish (PUBACK).
package struct Acknowledgement: Hashable, Sendable {
    package let packet: PacketIdentifier
    /// From 0x80 on the message was refused; 0x10 means that nobody was subscribed. Always success in 3.1.1.
    package let reason: ReasonCode
}

/// The broker's answer to a subscription (SUBACK).
package struct SubscriptionResult: Hashable, Sendable {
    package let packet: PacketIdentifier
    /// The granted QoS (0 to 2), or a refusal from 0x80 on.
    package let reason: ReasonCode
}
