import CMosquitto

extension MosquittoHandle {
    /// A handle that is ready to connect by `configuration`.
    static func make(for configuration: MQTTConfiguration) throws(MQTTError) -> MosquittoHandle {
        try configuration.validate()
        let handle = try MosquittoHandle(clientID: configuration.clientID, cleanStart: configuration.cleanStart)
        try handle.set(
            MOSQ_OPT_PROTOCOL_VERSION,
            to: configuration.version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311)
        try handle.set(MOSQ_OPT_SEND_MAXIMUM, to: Int32(configuration.sendMaximum))
        try handle.set(MOSQ_OPT_RECEIVE_MAXIMUM, to: Int32(configuration.receiveMaximum))
        handle.record.longestPayload = configuration.longestPayload
        handle.record.beginningOfLonger = max(0, configuration.beginningOfLonger)
        try handle.setCredentials(username: configuration.username, password: configuration.password)
        if let will = configuration.will {
            do throws(MQTTError) {
                try handle.setWill(will)
            } catch {
                throw .invalidConfiguration(.will)
            }
        }
        try handle.configureTransport(for: configuration.endpoint)
        if configuration.version == .v5 {
            var properties = PropertyList()
            if configuration.sessionExpiry > .zero {
                let seconds = UInt32(clamping: configuration.sessionExpiry.components.seconds)
                try properties.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, seconds)
            }
            if let maximum = configuration.maximumPacketSize {
                try properties.add(MQTT_PROP_MAXIMUM_PACKET_SIZE, maximum)
            }
            try handle.setConnectProperties(properties)
        }
        return handle
    }

    private func configureTransport(for endpoint: MQTTEndpoint) throws(MQTTError) {
        switch endpoint {
        case .unixSocket:
            break
        case .tcp:
            try set(MOSQ_OPT_TCP_NODELAY, to: 1)
        case .tls(_, _, let caFile):
            try set(MOSQ_OPT_TCP_NODELAY, to: 1)
            guard let caFile else { return try set(MOSQ_OPT_TLS_USE_OS_CERTS, to: 1) }
            do throws(MQTTError) {
                try trust(caFile: caFile)
            } catch {
                throw .invalidConfiguration(.caFile)
            }
        }
    }

    func startConnecting(_ configuration: MQTTConfiguration) throws(MQTTError) {
        let keepAlive = UInt16(clamping: configuration.keepAlive.components.seconds)
        switch configuration.endpoint {
        case .unixSocket(let path):
            try startConnecting(host: path, port: 0, keepAlive: keepAlive)
        case .tcp(let host, let port), .tls(let host, let port, _):
            try startConnecting(host: host, port: port, keepAlive: keepAlive)
        }
    }
}

extension MQTTConfiguration {
    /// Refuses values that the library would refuse without a reason, or cut off at a NUL.
    fileprivate func validate() throws(MQTTError) {
        switch endpoint {
        case .unixSocket(let path):
            guard (1...107).contains(path.utf8.count), !path.utf8.contains(0) else {
                throw .invalidConfiguration(.socketPath)
            }
        case .tcp(let host, let port), .tls(let host, let port, _):
            guard !host.isEmpty, !host.utf8.contains(0), port > 0 else { throw .invalidConfiguration(.host) }
        }
        guard !clientID.utf8.contains(0), clientID.utf8.count <= UInt16.max, cleanStart || !clientID.isEmpty else {
            throw .invalidConfiguration(.clientID)
        }
        for credential in [username, password?.value] {
            guard let credential else { continue }
            guard !credential.utf8.contains(0), credential.utf8.count <= UInt16.max else {
                throw .invalidConfiguration(.credentials)
            }
        }
        guard version == .v5 || username != nil || password == nil else { throw .invalidConfiguration(.credentials) }
        guard keepAlive == .zero || (.seconds(5) ... .seconds(UInt16.max)).contains(keepAlive) else {
            throw .invalidConfiguration(.keepAlive)
        }
        guard receiveMaximum > 0 else { throw .invalidConfiguration(.receiveMaximum) }
        guard sendMaximum > 0 else { throw .invalidConfiguration(.sendMaximum) }
        if let will {
            guard !will.topic.utf8.contains(0), will.payload.count <= UInt16.max else {
                throw .invalidConfiguration(.will)
            }
        }
    }
}
