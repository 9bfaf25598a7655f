/// One packet to the broker (MQTT 5).
///
/// Texts are bytes, which the caller knows to be UTF-8. Packet identifiers are not 0.
package enum OutboundPacket: Hashable, Sendable {
    case connect(Connect)
    case publish(Publish)
    /// PUBACK of a delivery.
    case acknowledge(packet: UInt16)
    case subscribe([Subscription], packet: UInt16)
    case unsubscribe([[UInt8]], packet: UInt16)
    /// PINGREQ.
    case ping
    case disconnect

    package struct Connect: Hashable, Sendable {
        package var clientID: [UInt8]
        package var username: [UInt8]
        package var password: [UInt8]
        /// Whether what the broker has kept of an earlier session is dropped.
        package var isCleanStart = true
        package var keepAliveSeconds: UInt16
        /// How long the broker keeps the session after the connection has ended; `nil` for not at all.
        package var sessionExpirySeconds: UInt32?
        /// The most deliveries at QoS 1 that are under way to us; `nil` for 65,535.
        package var receiveMaximum: UInt16?
        /// The longest packet that we take, in bytes; `nil` for any.
        package var maximumPacketSize: UInt32?

        package init(clientID: [UInt8], username: [UInt8], password: [UInt8], keepAliveSeconds: UInt16) {
            (self.clientID, self.username, self.password) = (clientID, username, password)
            self.keepAliveSeconds = keepAliveSeconds
        }
    }

    package struct Publish: Hashable, Sendable {
        package var topic: [UInt8]
        package var payload: [UInt8]
        /// What the PUBACK will name; `nil` publishes at QoS 0.
        package var identifier: UInt16?
        package var responseTopic: [UInt8]?
        package var correlationData: [UInt8]?

        package init(
            topic: [UInt8], payload: [UInt8], identifier: UInt16?, responseTopic: [UInt8]? = nil,
            correlationData: [UInt8]? = nil
        ) {
            (self.topic, self.payload, self.identifier) = (topic, payload, identifier)
            (self.responseTopic, self.correlationData) = (responseTopic, correlationData)
        }
    }

    /// A filter, and the highest QoS of its deliveries.
    package struct Subscription: Hashable, Sendable {
        package var filter: [UInt8]
        package var quality: Quality
        /// Whether what the broker retains comes at once (§3.8.3.1).
        package var takesRetained = true

        package init(filter: [UInt8], quality: Quality) { (self.filter, self.quality) = (filter, quality) }

        fileprivate var options: UInt8 { quality.rawValue | (takesRetained ? 0 : 0x20) }
    }

    /// QoS 2 is not used.
    package enum Quality: UInt8, Hashable, Sendable {
        case atMostOnce = 0
        case atLeastOnce = 1
    }
}

extension OutboundPacket {
    package var bytes: [UInt8] {
        get throws(WireError) {
            var bytes: [UInt8] = []
            try append(to: &bytes)
            return bytes
        }
    }

    /// Appends the whole packet, or nothing where a field is too long.
    package func append(to bytes: inout [UInt8]) throws(WireError) {
        switch self {
        case .connect(let connect): try bytes.appendPacket(0x10, connect.write)
        case .publish(let publish): try bytes.appendPacket(publish.identifier == nil ? 0x30 : 0x32, publish.write)
        case .acknowledge(let packet): try bytes.appendPacket(0x40) { $0.append(word: packet) }
        case .subscribe(let subscriptions, let packet):
            try bytes.appendPacket(0x82) { (bytes) throws(WireError) in
                bytes.append(word: packet)
                bytes.append(0)
                for subscription in subscriptions {
                    try bytes.append(field: subscription.filter)
                    bytes.append(subscription.options)
                }
            }
        case .unsubscribe(let filters, let packet):
            try bytes.appendPacket(0xA2) { (bytes) throws(WireError) in
                bytes.append(word: packet)
                bytes.append(0)
                for filter in filters { try bytes.append(field: filter) }
            }
        case .ping: bytes += [0xC0, 0]
        case .disconnect: bytes += [0xE0, 0]
        }
    }
}

extension OutboundPacket.Connect {
    /// CONNECT (§3.1).
    fileprivate func write(to bytes: inout [UInt8]) throws(WireError) {
        try bytes.append(field: "MQTT".utf8)
        let (hasUsernameAndPassword, cleanStart): (UInt8, UInt8) = (0xC0, isCleanStart ? 0x02 : 0)
        bytes += [5, hasUsernameAndPassword | cleanStart]
        bytes.append(word: keepAliveSeconds)
        try bytes.appendProperties { bytes in
            if let sessionExpirySeconds {
                bytes.append(0x11)
                bytes.append(doubleWord: sessionExpirySeconds)
            }
            if let receiveMaximum {
                bytes.append(0x21)
                bytes.append(word: receiveMaximum)
            }
            if let maximumPacketSize {
                bytes.append(0x27)
                bytes.append(doubleWord: maximumPacketSize)
            }
        }
        for text in [clientID, username, password] { try bytes.append(field: text) }
    }
}

extension OutboundPacket.Publish {
    /// PUBLISH (§3.3).
    fileprivate func write(to bytes: inout [UInt8]) throws(WireError) {
        try bytes.append(field: topic)
        if let identifier { bytes.append(word: identifier) }
        try bytes.appendProperties { (bytes) throws(WireError) in
            if let responseTopic {
                bytes.append(0x08)
                try bytes.append(field: responseTopic)
            }
            if let correlationData {
                bytes.append(0x09)
                try bytes.append(field: correlationData)
            }
        }
        bytes += payload
    }
}
