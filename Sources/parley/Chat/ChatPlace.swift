import ParleyClient
import ParleyProtocol

/// The conversation that a chat shows.
enum ChatPlace: Hashable, Sendable {
    /// None is chosen yet.
    case nowhere
    /// With a user; `id` is `nil` until the conversation is known.
    case direct(UserID, id: ConversationID?)
    case group(ConversationID, title: String, members: Int)

    init(_ entry: ChatEntry) {
        if let peer = entry.peer {
            self = .direct(peer, id: entry.id)
        } else {
            self = .group(entry.id, title: entry.title, members: entry.members.count)
        }
    }

    var id: ConversationID? {
        switch self {
        case .nowhere: nil
        case .direct(_, let id): id
        case .group(let id, _, _): id
        }
    }

    /// The other user of a direct conversation.
    var peer: UserID? {
        switch self {
        case .direct(let peer, _): peer
        case .nowhere, .group: nil
        }
    }

    /// For the bar.
    func heading(of device: DeviceAddress) -> String {
        switch self {
        case .nowhere: "\(device)"
        case .direct(let peer, _): "\(device) with \(peer)"
        case .group(_, let title, let members): "\(device) in \(title.prefix(columns: 40)) (\(members))"
        }
    }
}

/// What a chat begins with.
enum ChatTarget: Hashable, Sendable {
    case user(UserID)
    /// A conversation by its id or name.
    case named(String)
    /// The list of conversations.
    case list
}
