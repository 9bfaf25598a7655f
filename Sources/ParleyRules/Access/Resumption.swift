import ParleyProtocol

/// What a session brings back that the broker has kept for a client id, judged while the CONNECT is handled that
/// resumes it.
///
/// Mosquitto 2.0.11 asks for READ of each kept message once more between BASIC_AUTH and CONNACK, and deletes what is
/// refused (`connect__on_authorised`). Nothing else is asked in between; the end of the connection that is taken over
/// is announced there. So:
/// - a device that was given the name of a revoked one refuses all of it at its first sign-in since that, or since the
///   broker started, and gets nothing that was queued for the other. The subscriptions stay, and are judged as ever.
/// - what is kept is counted there as the broker holds it. Beyond the device's share it is refused, the newest of it:
///   the broker asks for the oldest first, and nothing is known of the rest by then.
/// - a message that is deleted there does not give its place among those under way back. A connection that has lost
///   many of them must be made anew, or hears nothing any more.
struct Resumption: Sendable {
    private struct Window: Sendable {
        let key: ConnectionKey
        let client: ClientID
        /// The re-use of the name whose first sign-in this is.
        let droppedFor: Int64?
        var refusals = 0
        /// What was found kept so far and is handed over, in bytes.
        var kept = 0
    }

    /// A client may have as few as this many places; common libraries have 20 or more.
    private static let toleratedRefusals = 8

    private var window: Window?
    /// The re-used names whose stored sessions are the new device's by now.
    private var cleared: [DeviceAddress: Int64] = [:]
    private var exhausted: [ClientID] = []
    /// The devices for whose sessions more was kept than the broker had room for: all of it is dropped when they come
    /// back, and until then nothing is added.
    private var abandoned: Set<DeviceAddress> = []

    private static let abandonedMark = Int64.min

    /// A device has signed in, and the broker is about to look at what it has kept.
    mutating func begin(_ key: ConnectionKey, _ client: ClientID, _ status: DeviceStatus) {
        end()
        // A further connection begins with nothing.
        guard client.connection == nil else { return }
        window = Window(
            key: key, client: client,
            droppedFor: isCleared(client.address, status) ? nil : status.nameReusedAt ?? Resumption.abandonedMark)
    }

    /// The broker asks about a kept message: whether it is refused whatever it is.
    mutating func checkRefusal(_ key: ConnectionKey) -> Bool {
        guard let window else { return false }
        guard window.key == key else {
            end()
            return false
        }
        return window.droppedFor != nil
    }

    /// Counts a kept message that is handed over; whether it is within the share. `nil` for one that is new.
    mutating func reserve(_ length: Int, for key: ConnectionKey, limit: Int) -> Bool? {
        guard let window, window.key == key else { return nil }
        guard window.kept + length <= limit else { return false }
        self.window?.kept += length
        return true
    }

    /// A message was refused to this connection.
    mutating func recordRefusal(_ key: ConnectionKey) {
        if window?.key == key { window?.refusals += 1 }
    }

    /// Something else happens: the CONNECT has been handled.
    mutating func end() {
        guard let window else { return }
        self.window = nil
        if let moment = window.droppedFor {
            if moment != Resumption.abandonedMark { cleared[window.client.address] = moment }
            abandoned.remove(window.client.address)
        }
        if window.refusals > (window.droppedFor == nil ? Resumption.toleratedRefusals : 0) {
            exhausted.append(window.client)
        }
    }

    /// The connection has ended. If that was before its CONNECT had been handled, nothing was brought back.
    mutating func disconnect(_ key: ConnectionKey) {
        if window?.key == key { window = nil }
    }

    /// Whether what is stored under the device's client id is its own.
    func isCleared(_ address: DeviceAddress, _ status: DeviceStatus) -> Bool {
        (status.nameReusedAt == nil || cleared[address] == status.nameReusedAt) && !abandoned.contains(address)
    }

    /// Too much is kept for the device: all of it is to be dropped.
    mutating func abandon(_ address: DeviceAddress) { abandoned.insert(address) }

    /// Nothing is kept for the device any more.
    mutating func readmit(_ address: DeviceAddress) { abandoned.remove(address) }

    mutating func forget(_ address: DeviceAddress) {
        cleared[address] = nil
        abandoned.remove(address)
    }

    /// Removes the devices that do not exist any more.
    mutating func retain(where isThere: (DeviceAddress) -> Bool) {
        cleared = cleared.filter { isThere($0.key) }
        abandoned = abandoned.filter(isThere)
    }

    /// The client ids of the connections that must be made anew to hear anything; some may have ended.
    mutating func drainExhausted() -> [ClientID] {
        end()
        defer { exhausted.removeAll() }
        return exhausted
    }
}
