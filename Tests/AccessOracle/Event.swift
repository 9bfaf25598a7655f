/// What happens, and changes who may do what.
package enum Event: Hashable, Sendable {
    /// The gateway comes, or comes again, and tells the broker everything.
    case told
    /// The broker has lost track: nothing that it was told holds any more.
    case lost
    /// A device is made, or its token anew: "making a device's token anew ends the old one", and its sessions.
    case issued(Device, token: Int, endsAt: Int, isOperator: Bool)
    /// `devices/renew`: a new token, and the sessions go on.
    case renewed(Device, token: Int, endsAt: Int)
    case revoked(Device)
    case conversation(String, members: Set<String>, isSilent: Bool)
    case conversationEnded(String)
    case befriended(String, String)
    case parted(String, String)
    case passed(seconds: Int)
    case connected(Attempt)
    case disconnected(ClientName)
}

extension Facts {
    package mutating func apply(_ event: Event) {
        switch event {
        case .told:
            isReady = true
            // Whatever was renewed or revoked meanwhile: a session goes by the token that its device has.
            connected = connected.filter { devices[$0.key.device]?.token == $0.value }
            names = names.filter { devices[$0.key] != nil }
        case .lost:
            isReady = false
            connected = [:]
        case .issued(let device, let token, let endsAt, let isOperator):
            devices[device] = Standing(token: token, endsAt: endsAt, isOperator: isOperator)
            if isReady { end { $0.device == device && $1 != token } }
        case .renewed(let device, let token, let endsAt):
            guard let standing = devices[device] else { return }
            devices[device] = Standing(token: token, endsAt: endsAt, isOperator: standing.isOperator)
            guard isReady else { return }
            for client in connected.keys where client.device == device { connected[client] = token }
        case .revoked(let device):
            devices[device] = nil
            guard isReady else { return }
            end { client, _ in client.device == device }
            names[device] = nil
        case .conversation(let id, let members, let isSilent):
            conversations[id] = Conversation(members: members, isSilent: isSilent)
        case .conversationEnded(let id): conversations[id] = nil
        case .befriended(let one, let other): if one != other { friends.insert([one, other]) }
        case .parted(let one, let other): friends.remove([one, other])
        case .passed(let seconds):
            now += seconds
            // "A session ends when its token does."
            if isReady { end { client, _ in (devices[client.device]?.endsAt ?? now) <= now } }
        case .connected(let attempt):
            guard admission(of: attempt) == [.admitted], let client = ClientName(attempt.clientID) else { return }
            connected[client] = devices[client.device]?.token
            if let further = client.further { names[client.device, default: [:]][further] = now }
        case .disconnected(let client): connected[client] = nil
        }
    }

    private mutating func end(where isEnded: (ClientName, Int) -> Bool) {
        connected = connected.filter { !isEnded($0.key, $0.value) }
    }
}
