/// A token that is read says what the gateway would write, and the gateway's writing of it is read as the same.
@Sendable func fuzzToken(_ bytes: [UInt8]) {
    guard let token = AccessToken(parsing: bytes.span) else { return }
    hold(bytes.starts(with: token.signedBytes), "the signed bytes are the token's own")
    hold(token.signature.count == 64, "a signature has 64 bytes")
    let input = AccessToken.signingInput(for: token.claims)
    let written = CompactToken.assemble(signingInput: input, signature: token.signature)
    guard let again = AccessToken(parsing: written.span) else { fatalError("what is written is read") }
    hold(again.claims == token.claims && again.signature == token.signature, "what is written says the same")
    let recoded = CompactToken.assemble(signingInput: token.signedBytes, signature: token.signature)
    hold(recoded == bytes, "there is one spelling of a signature")
}

/// Changes that are read are written as they were.
@Sendable func fuzzAudience(_ bytes: [UInt8]) {
    _ = AudienceCodec.answer(in: bytes)
    guard let changes = try? AudienceCodec.changes(in: bytes) else { return }
    let written = AudienceCodec.messages(for: changes)
    let again = try? written.flatMap { try AudienceCodec.changes(in: $0) }
    hold(again == changes, "changes are written as they were read")
}

/// Whatever comes to the gate in whatever order, nobody who has not signed in has rights. The input is cut at
/// 0xFF into pieces, each of which is everything once: a name, a token, a topic, a message of changes.
@Sendable func fuzzGate(_ bytes: [UInt8]) {
    var gate = AccessGate()
    let out = ConnectionKey(1)
    let claims = GatewayConnection.out.claims(id: TokenID(UUIDValue(high: 0, low: 0)), expiresAt: 1 << 40)
    let token = CompactToken.assemble(
        signingInput: AccessToken.signingInput(for: claims), signature: [UInt8](repeating: 0, count: 64))
    let attempt = SignInAttempt(
        clientID: Array("parley/out".utf8), username: Array(GatewayConnection.username.utf8), password: token,
        origin: .unixSocket, cleanStart: true)
    _ = gate.signIn(attempt, on: out, now: 0) { _ in true }
    let pieces = bytes.split(separator: 0xFF, maxSplits: 8).map(Array.init)
    let topic = pieces.first ?? []
    for (index, piece) in pieces.enumerated() {
        let key = ConnectionKey(UInt(index + 2))
        let stranger = SignInAttempt(
            clientID: piece, username: piece, password: piece, origin: index % 2 == 0 ? .unixSocket : .elsewhere,
            cleanStart: true)
        hold(
            gate.signIn(stranger, on: key, now: 0) { _ in false }.isRefusal, "nobody signs in without a signature")
        hold(
            !gate.publish(key, topic: piece.span, payloadLength: 0, qos: 1, retain: false, now: 0).isAllowed,
            "strangers publish nothing")
        hold(!gate.subscribe(key, filter: piece.span, held: 0, now: 0).isAllowed, "strangers subscribe to nothing")
        hold(!gate.unsubscribe(key, filter: piece.span, now: 0).isAllowed, "strangers give up nothing")
        hold(gate.handle(piece, from: key) == nil, "strangers change nothing")
        _ = gate.receive(key, clientID: piece.span, topic: topic.span, payload: piece.span, qos: 1, now: 0)
        _ = gate.handle(piece, from: out)
        _ = gate.expire(now: Int64(index))
        gate.disconnect(key)
    }
    hold(
        gate.publish(out, topic: bytes.span, payloadLength: 0, qos: 2, retain: true, now: 0).isAllowed,
        "the gateway may do everything")
}

extension SignInDecision {
    fileprivate var isRefusal: Bool {
        switch self {
        case .admitted, .removing: false
        case .refused, .notReady, .turnedAway: true
        }
    }
}
