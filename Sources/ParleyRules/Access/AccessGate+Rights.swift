import ParleyProtocol

extension AccessGate {
    /// PUBLISH, and a will that fires.
    ///
    /// - Parameter payloadLength: in bytes.
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
        guard isUnlimited(device) || usage.publish(device.address, bytes: bytes, limits: limits, uptime: uptime) else {
            return refuseOverLimit(key, device.address, bytes: bytes)
        }
        return AccessPolicy.publish(bearer, topic: topic, qos: qos, retain: retain)
    }

    /// A filter of a SUBSCRIBE, as the client sent it.
    ///
    /// Each grant costs the broker memory, which it never frees for a filter that the client has already: repeated
    /// filters are counted by their bytes.
    ///
    /// - Parameter held: how many filters the client's session has had at once; 0 for a new session, whose
    ///   predecessor's end the plugin is not shown.
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

    /// A filter of an UNSUBSCRIBE.
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

    package func isGateway(_ key: ConnectionKey) -> Bool { connections.isGateway(key) }

    /// The properties of a PUBLISH, which the broker has read by then.
    ///
    /// - Parameters:
    ///   - count: counted up to one more than `mostProperties`.
    ///   - bytes: of the counted ones.
    package mutating func carry(_ key: ConnectionKey, properties count: Int, bytes: Int) -> AccessDecision {
        guard let device = connections.device(key) else {
            return connections.isGateway(key) ? .allowed : .denied(.unknownClient)
        }
        unseen.showProperties(key, count: count, bytes: bytes)
        guard count <= AccessGate.mostProperties else {
            // Each costs the broker three allocations, and a packet has room for tens of thousands.
            return refuseOverLimit(key, device.address, bytes: .max)
        }
        guard
            isUnlimited(device) || usage.publishProperties(device.address, bytes: bytes, limits: limits, uptime: uptime)
        else {
            return refuseOverLimit(key, device.address, bytes: bytes)
        }
        return .allowed
    }

    /// A request has a response topic, correlation data and a few of its client's own.
    package static let mostProperties = 64

    /// A door asks for everybody: the gateway limits it by whom it asks for.
    private func isUnlimited(_ device: Connections.SignedIn) -> Bool { device.status.role == .door }

    private mutating func refuseOverLimit(
        _ key: ConnectionKey, _ address: DeviceAddress, bytes: Int = 0
    ) -> AccessDecision {
        counts.overLimit += 1
        if usage.recordRefusal(address, bytes: bytes, uptime: uptime) { excessive[key] = .refusals }
        return .denied(.overLimit)
    }

    /// A delivery to a connection, or to a stored session, which is known by its client id alone.
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
            // A further connection of a device has no stored session.
            guard id.connection == nil, let status = audiences.status(of: id.address),
                let bearer = Bearer(id.address, status, token: status.token, now: now)
            else { return .denied(.unknownClient) }
            guard resumption.isCleared(id.address, status) else { return .denied(.anotherDevice) }
            return AccessPolicy.receive(bearer, topic: topic, payload: payload, audiences: audiences)
        case nil: return .denied(.unknownClient)
        }
    }
}
