import ParleyProtocol

/// The tokens of one device, as a gateway gives them (protocol §5): the one before a renewal signs in until the new one
/// has, and every renewal until then gives the same.
package struct TokenDesk: Sendable {
    package private(set) var current: DeviceCredentials
    private var previous: String?
    private var made = 1

    package init(_ first: DeviceCredentials) { current = first }

    mutating func signIn(with password: String) -> Bool {
        guard password == current.password else { return password == previous }
        previous = nil
        return true
    }

    /// - Returns: the reply to `devices/renew`.
    mutating func renew() -> [UInt8] {
        if previous == nil {
            previous = current.password
            made += 1
            current = DeviceCredentials(
                username: current.username, clientID: current.clientID, password: "token \(made)",
                expiresAt: current.expiresAt.advanced(byMilliseconds: 30 * 86_400_000))
        }
        var writer = JSONWriter()
        writer.object { object in
            object.member("ok", true)
            object.member("data", raw: data)
        }
        return writer.finish()
    }

    private var data: [UInt8] {
        var writer = JSONWriter()
        current.write(to: &writer)
        return writer.finish()
    }
}
