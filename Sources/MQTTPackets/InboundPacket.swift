/// One packet from the broker (MQTT 5), as ranges into the bytes that were read.
package enum InboundPacket: Hashable, Sendable {
    /// CONNACK.
    case connected(Connected)
    /// PUBLISH at QoS 0 or 1. What is not subscribed to at QoS 2 never comes at QoS 2.
    case delivery(Delivery)
    /// PUBACK of a publish of our own.
    case acknowledged(packet: UInt16, reason: ReasonCode)
    /// SUBACK, with the place of one reason code for each filter.
    case subscribed(packet: UInt16, reasons: Range<Int>)
    /// UNSUBACK, with the place of one reason code for each filter.
    case unsubscribed(packet: UInt16, reasons: Range<Int>)
    /// PINGRESP.
    case pong
    /// The broker ends the connection.
    case disconnected(reason: ReasonCode)

    package struct Connected: Hashable, Sendable {
        package let reason: ReasonCode
        /// Whether the broker has kept the session.
        package let isSessionPresent: Bool
        package let properties: PacketProperties
    }

    package struct Delivery: Hashable, Sendable {
        package let topic: Range<Int>
        package let payload: Range<Int>
        /// What a PUBACK names; `nil` at QoS 0, which has none.
        package let identifier: UInt16?
        /// It was published before the subscription.
        package let isRetained: Bool
        package let correlationData: Range<Int>?
    }
}
