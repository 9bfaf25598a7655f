import ParleyRules

/// The sockets of the clients that have signed in, each looked at now and then: as often as 10,000 looks a second
/// allow, each below a microsecond, a hundred times a second at most.
struct ClientSockets {
    private struct Watched {
        let key: ConnectionKey
        let socket: ClientSocket
    }

    private static let looksPerSecond: Int64 = 10_000
    private static let mostLooksAtOnce: Int64 = 1_000
    private static let second: Int64 = 1_000_000_000
    private static let interval = second / 100

    private var watched: [Watched] = []
    private var places: [ConnectionKey: Int] = [:]
    private var cookies: Set<UInt64> = []
    /// Whose turn is next.
    private var next = 0
    private var lookedAt: Int64 = 0

    /// A client has signed in. One whose socket is not known for certain is not watched, nor are two with the same
    /// socket.
    mutating func watch(_ client: BrokerClient) {
        let key = ConnectionKey(client.key)
        forget(key)
        guard let socket = ClientSocket(of: client), cookies.insert(socket.cookie).inserted else { return }
        places[key] = watched.count
        watched.append(Watched(key: key, socket: socket))
    }

    /// What one client's socket has carried by now; `nil` if it is not watched.
    func bytes(_ key: ConnectionKey) -> SocketBytes? { places[key].flatMap { watched[$0].socket.bytes } }

    mutating func forget(_ key: ConnectionKey) {
        guard let place = places.removeValue(forKey: key), let last = watched.popLast() else { return }
        guard place < watched.count else {
            cookies.remove(last.socket.cookie)
            return
        }
        cookies.remove(watched[place].socket.cookie)
        watched[place] = last
        places[last.key] = place
    }

    /// Looks at those whose turn it is: what each socket has carried, `nil` for one that is not watched any more.
    mutating func look(uptime: Int64, _ body: (ConnectionKey, SocketBytes?) -> Void) {
        let elapsed = uptime - lookedAt
        guard elapsed >= ClientSockets.interval else { return }
        lookedAt = uptime
        let looks = min(elapsed, ClientSockets.second) * ClientSockets.looksPerSecond / ClientSockets.second
        for _ in 0..<min(watched.count, Int(min(looks, ClientSockets.mostLooksAtOnce))) {
            next = next + 1 < watched.count ? next + 1 : 0
            let client = watched[next]
            let bytes = client.socket.bytes
            body(client.key, bytes)
            if bytes == nil { forget(client.key) }
        }
    }
}
