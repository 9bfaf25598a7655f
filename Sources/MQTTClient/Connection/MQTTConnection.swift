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
    /// The broker's answer to CONNECT; `nil` before it.
    package private(set) var session: Session?

    let handle: MosquittoHandle
    /// The reason why the connection ended. Messages read before are returned first.
    var loss: MQTTError?
    /// QoS 1 publishes without an acknowledgement.
    package internal(set) var unacknowledgedCount = 0
    /// Whether a QoS 1 message waits for its acknowledgement by ``flush()``.
    var holdsAcknowledgements = false
    /// The queued QoS 0 packets.
    var unsent = UnsentPackets()
    /// Reused memory for a topic with a NUL at its end.
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
    /// The look-up of a host's name may take longer than `timeout`, and only its first address that does not fail at
    /// once is tried.
    ///
    /// - Returns: the broker's data on the session.
    /// - Throws: an error listed under connecting in ``MQTTError``.
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

    /// The socket to wait for; -1 if there is none.
    package var fileDescriptor: Int32 { handle.socket }

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

    /// Queues a due ping and notices a silent broker. Call it about once a second, and ``flush()`` afterwards.
    package func housekeeping() throws(MQTTError) {
        try requireConnection()
        do throws(MQTTError) {
            try handle.loopMisc()
        } catch {
            throw lost(error)
        }
    }

    /// Sends DISCONNECT, so that the will is not published, after the queued packets, as far as the socket takes them
    /// without blocking.
    ///
    /// It sends nothing while acknowledgements are held back since the last ``flush()``, because they would go first:
    /// the connection then just closes with this value.
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

    /// The library may close the socket and report success: it does so when the broker sends DISCONNECT.
    func requireSocket() throws(MQTTError) {
        guard handle.socket < 0 else { return }
        throw .connectionLost(errno: 0)
    }

    /// Stores the reason why the connection ended, preferably the broker's own.
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
