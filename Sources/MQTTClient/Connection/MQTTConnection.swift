/// One connection to a broker, from CONNECT to its end.
///
/// It belongs to the thread that uses it, does nothing of its own accord and starts no thread: a loop of its owner
/// waits for ``fileDescriptor`` (readable, and writable while ``wantsWrite``), reads, publishes and flushes. It is
/// never connected again: what a lost connection had queued would overtake everything else. Make a new one.
///
/// ```swift
/// while !stop.isRaised {
///     try connection.readBatch(into: &batch, limit: 1000)
///     // … commit what the batch says …
///     try connection.flush()          // Now the PUBACKs leave.
///     try connection.housekeeping()   // About once a second.
///     // … waitForEvents …
/// }
/// ```
///
/// Nothing is written before ``flush()``: publishes, subscriptions and pings wait for it as acknowledgements do.
package final class MQTTConnection {
    package let configuration: MQTTConfiguration
    /// What the broker said when it accepted; `nil` before.
    package private(set) var session: Session?

    let handle: MosquittoHandle
    /// Why the connection ended. What was read before is returned first.
    var loss: MQTTError?
    /// QoS 1 publishes without an acknowledgement.
    package internal(set) var unacknowledgedCount = 0
    /// Whether something read at QoS 1 waits for the caller's word that it may be acknowledged.
    var holdsAcknowledgements = false
    /// What is queued at QoS 0.
    var unsent = UnsentPackets()
    /// Memory for a topic with the NUL that C wants behind it, kept between publishes.
    var topicScratch: [UInt8] = []

    /// Prepares a connection; nothing is sent before ``connect(timeout:)``.
    ///
    /// - Throws: ``MQTTError/invalidConfiguration(_:)``.
    package init(_ configuration: MQTTConfiguration) throws(MQTTError) {
        self.configuration = configuration
        handle = try MosquittoHandle.make(for: configuration)
    }

    /// Connects and waits for the broker's verdict. Call it once.
    ///
    /// Looking up a host's name may take longer than `timeout`, and only the first of its addresses that does not fail
    /// at once is tried.
    ///
    /// - Returns: what the broker said of the session.
    /// - Throws: any of the errors listed under connecting in ``MQTTError``.
    @discardableResult
    package func connect(timeout: Duration) throws(MQTTError) -> Session {
        do throws(MQTTError) {
            let verdict = try awaitVerdict(deadline: .now.advanced(by: timeout))
            guard verdict.reason == .success else { throw .refused(verdict.reason) }
            session = verdict.session
            return verdict.session
        } catch {
            loss = error
            throw error
        }
    }

    /// The socket to wait for, -1 when there is none (any more).
    package var fileDescriptor: Int32 { handle.socket }

    /// Whether ``flush()`` has something to write.
    package var wantsWrite: Bool { handle.wantsWrite }

    /// Writes what is queued, acknowledgements of everything read included, until the socket would block.
    ///
    /// - Returns: whether all of it has been written.
    @discardableResult
    package func flush() throws(MQTTError) -> Bool {
        try requireConnection()
        holdsAcknowledgements = false
        do throws(MQTTError) {
            try write()
        } catch {
            throw lost(error)
        }
        return !handle.wantsWrite
    }

    /// Queues a ping when one is due and notices a broker that has gone silent. Call it about once a second, and
    /// ``flush()`` afterwards.
    package func housekeeping() throws(MQTTError) {
        try requireConnection()
        do throws(MQTTError) {
            try handle.loopMisc()
        } catch {
            throw lost(error)
        }
    }

    /// Says DISCONNECT, so that the will is not published, after writing what is queued as far as the socket takes it
    /// without blocking.
    ///
    /// With acknowledgements held back since the last ``flush()`` it says nothing, for they would be written before it:
    /// the connection just closes with this value.
    package func disconnect() {
        guard loss == nil, session != nil else { return }
        defer { loss = .notConnected }
        guard !holdsAcknowledgements else { return }
        do throws(MQTTError) {
            try handle.disconnect()
            try handle.loopWrite()
        } catch {
            // The connection is given up either way.
        }
    }
}

extension MQTTConnection {
    func write() throws(MQTTError) {
        let record = handle.record
        defer {
            unsent.removeFirst(record.writtenCount)
            record.writtenCount = 0
        }
        try handle.loopWrite()
        try requireSocket()
    }

    func requireConnection() throws(MQTTError) {
        if let loss { throw loss }
        guard session != nil else { throw .notConnected }
    }

    /// The library may close the socket and yet report success: it does so when the broker says DISCONNECT.
    func requireSocket() throws(MQTTError) {
        guard handle.socket < 0 else { return }
        throw .connectionLost(errno: 0)
    }

    /// Keeps why the connection ended. The broker's own word, if there was one, is better than what a call returned.
    func lost(_ error: MQTTError) -> MQTTError {
        if let loss { return loss }
        var reason = error
        if let code = handle.record.disconnectCode, let byte = UInt8(exactly: code), byte >= 0x80 {
            reason = .disconnected(ReasonCode(rawValue: byte))
        }
        loss = reason
        return reason
    }
}
