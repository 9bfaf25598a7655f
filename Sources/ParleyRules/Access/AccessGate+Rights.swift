import ParleyProtocol

// Who may publish, subscribe and hear.

extension AccessGate {
    /// PUBLISH, and a will that fires.
    ///
    /// - Parameter payloadLength: in bytes, which count as those of the topic do.
    package mutating func publish(
        _ key: ConnectionKey, topic: Span<UInt8>, payloadLength: Int, qos: UInt8, retain: Bool, now: Int64
    ) -> AccessDecision {
        resumption.end()
        unseen.showPublish(key, topic: topic.count, payload: payloadLength)
        guard let device = connections.device(key) else {
            guard connections.isGateway(key) else { return .denied(.unknownClient) }
            if retain { retained.record(topic: topic, payloadLength: payloadLength) }
            return .allowed
        }
        guard isReady else { return .denied(.notReady) }
        guard let bearer = Bearer(device, now: now) else { return .denied(.unknownClient) }
        let bytes = topic.count + max(0, payloadLength)
        guard usage.publish(device.address, bytes: bytes, limits: limits, uptime: uptime) else {
            return refuseOverLimit(key, device.address, bytes: bytes)
        }
        return AccessPolicy.publish(bearer, topic: topic, qos: qos, retain: retain)
    }

    /// SUBSCRIBE, with the filter as the client sent it. Asked for each filter of a packet.
    ///
    /// What is granted costs this broker memory each time. For a filter that the client has already, it is never given
    /// back: those are counted apart, by their bytes.
    ///
    /// - Parameter held: how many filters the client's session has had at once; none in a new session, whatever the
    ///   plugin remembers of the one before: it is shown neither the expiry of a session nor its end.
    package mutating func subscribe(
        _ key: ConnectionKey, filter: Span<UInt8>, held: Int, now: Int64
    ) -> AccessDecision {
        resumption.end()
        unseen.showFilter(key, bytes: filter.count)
        guard let device = connections.device(key) else {
            return connections.isGateway(key) ? .allowed : .denied(.unknownClient)
        }
        guard excessive[key] == nil else { return .denied(.overLimit) }
        if held == 0, let id = connections.clientID(of: key) { filters.forget(id) }
        guard let audiences = feed.audiences else { return .denied(.notReady) }
        guard let bearer = Bearer(device, now: now) else { return .denied(.unknownClient) }
        guard usage.subscribe(device.address, limits: audiences.limits, uptime: uptime) else {
            return refuseOverLimit(key, device.address)
        }
        let decision = AccessPolicy.subscribe(bearer, filter: filter, held: held, audiences: audiences)
        guard decision.isAllowed, let id = connections.clientID(of: key), filters.insert(filter, of: id) else {
            return decision
        }
        guard usage.subscribeAgain(device.address, bytes: filter.count, uptime: uptime) else {
            return refuseOverLimit(key, device.address)
        }
        return .allowed
    }

    /// UNSUBSCRIBE. Asked for each filter of a packet.
    package mutating func unsubscribe(_ key: ConnectionKey, filter: Span<UInt8>, now: Int64) -> AccessDecision {
        resumption.end()
        unseen.showFilter(key, bytes: filter.count)
        guard let device = connections.device(key), let id = connections.clientID(of: key) else {
            return connections.isGateway(key) ? .allowed : .denied(.unknownClient)
        }
        guard excessive[key] == nil else { return .denied(.overLimit) }
        guard isReady else { return .denied(.notReady) }
        guard Bearer(device, now: now) != nil else { return .denied(.unknownClient) }
        guard usage.unsubscribe(device.address, limits: limits, uptime: uptime) else {
            return refuseOverLimit(key, device.address)
        }
        filters.remove(filter, of: id)
        return .allowed
    }

    /// Whether the gateway signed in on this connection.
    package func isGateway(_ key: ConnectionKey) -> Bool { connections.isGateway(key) }

    /// What a message carries besides topic and payload, which the broker has read by then: asked for each that has
    /// any.
    ///
    /// - Parameters:
    ///   - count: how many properties it has; those after `mostProperties` need not be counted.
    ///   - bytes: how long they are, as far as they were counted.
    package mutating func carry(_ key: ConnectionKey, properties count: Int, bytes: Int) -> AccessDecision {
        guard let device = connections.device(key) else {
            return connections.isGateway(key) ? .allowed : .denied(.unknownClient)
        }
        unseen.showProperties(key, count: count, bytes: bytes)
        guard count <= AccessGate.mostProperties else {
            // Each costs the broker three allocations, and a packet has room for tens of thousands: nobody needs them.
            return refuseOverLimit(key, device.address, bytes: .max)
        }
        guard usage.publishProperties(device.address, bytes: bytes, limits: limits, uptime: uptime) else {
            return refuseOverLimit(key, device.address, bytes: bytes)
        }
        return .allowed
    }

    /// A request has a response topic, correlation data and a few of its client's own.
    package static let mostProperties = 64

    private mutating func refuseOverLimit(
        _ key: ConnectionKey, _ address: DeviceAddress, bytes: Int = 0
    ) -> AccessDecision {
        counts.overLimit += 1
        if usage.recordRefusal(address, bytes: bytes, uptime: uptime) { excessive[key] = .refusals }
        return .denied(.overLimit)
    }

    /// A delivery, to a client that is connected or to the stored session of one that may never have signed in since
    /// the broker started, which its client id alone names.
    package mutating func receive(
        _ key: ConnectionKey, clientID: Span<UInt8>, topic: Span<UInt8>, payload: Span<UInt8>, qos: UInt8, now: Int64
    ) -> AccessDecision {
        var decision =
            resumption.checkRefusal(key)
            ? .denied(.anotherDevice) : judge(key, clientID: clientID, topic: topic, payload: payload, now: now)
        if decision.isAllowed {
            decision = queue(key, clientID: clientID, length: topic.count + payload.count, isKept: qos > 0)
            if decision.isAllowed, qos > 0 { unseen.expectAcknowledgement(key) }
        }
        if !decision.isAllowed { resumption.recordRefusal(key) }
        return decision
    }

    private func judge(
        _ key: ConnectionKey, clientID: Span<UInt8>, topic: Span<UInt8>, payload: Span<UInt8>, now: Int64
    ) -> AccessDecision {
        guard let device = connections.device(key) else {
            return receive(storedSessionOf: clientID, topic: topic, payload: payload, now: now)
        }
        guard let audiences = feed.audiences else { return .denied(.notReady) }
        guard let bearer = Bearer(device, now: now) else { return .denied(.unknownClient) }
        return AccessPolicy.receive(bearer, topic: topic, payload: payload, audiences: audiences)
    }

    private func receive(
        storedSessionOf clientID: Span<UInt8>, topic: Span<UInt8>, payload: Span<UInt8>, now: Int64
    ) -> AccessDecision {
        switch Client(clientID: clientID) {
        case .gateway: return .allowed
        case .device(let id):
            guard let audiences = feed.audiences else { return .denied(.notReady) }
            // A further connection of a device keeps nothing for later.
            guard id.connection == nil, let status = audiences.status(of: id.address),
                let bearer = Bearer(id.address, status, token: status.token, now: now)
            else { return .denied(.unknownClient) }
            guard resumption.isCleared(id.address, status) else { return .denied(.anotherDevice) }
            return AccessPolicy.receive(bearer, topic: topic, payload: payload, audiences: audiences)
        case nil: return .denied(.unknownClient)
        }
    }
}
