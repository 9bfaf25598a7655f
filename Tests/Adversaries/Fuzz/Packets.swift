/// Whatever a broker sends is read or refused, packet after packet, and the same whether its end has come or more
/// follows. Every place is within its packet.
@Sendable func fuzzPacket(_ bytes: [UInt8]) {
    var position = 0
    do {
        while let (packet, next) = try PacketReader.next(in: bytes.span, from: position, to: bytes.count) {
            hold(next > position && next <= bytes.count, "a packet ends behind its beginning")
            for place in packet.places {
                hold(place.lowerBound > position && place.upperBound <= next, "a place is within its packet")
            }
            let alone = try PacketReader.next(in: bytes.span, from: position, to: next)
            hold(alone?.packet == packet, "what follows changes nothing")
            hold(halfIsNone(bytes, position..<(next - 1)), "a packet without its last byte is none")
            position = next
        }
    } catch {}
}

private func halfIsNone(_ bytes: [UInt8], _ place: Range<Int>) -> Bool {
    (try? PacketReader.next(in: bytes.span, from: place.lowerBound, to: place.upperBound)) == nil
}

/// A CONNECT is read or refused, and every place is within it.
@Sendable func fuzzConnect(_ bytes: [UInt8]) {
    guard let connect = try? ConnectRequest(in: bytes.span, body: bytes.indices) else { return }
    for place in [connect.clientID, connect.username, connect.password].compactMap(\.self) {
        hold(place.upperBound <= bytes.count, "a place is within the packet")
    }
}

extension InboundPacket {
    fileprivate var places: [Range<Int>] {
        switch self {
        case .connected(let connected): [connected.properties.assignedClientID].compactMap(\.self)
        case .delivery(let delivery):
            [delivery.topic, delivery.payload] + [delivery.correlationData].compactMap(\.self)
        case .subscribed(_, let reasons), .unsubscribed(_, let reasons): [reasons]
        case .acknowledged, .pong, .disconnected: []
        }
    }
}
