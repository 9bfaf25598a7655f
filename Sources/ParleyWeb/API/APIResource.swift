import ParleyProtocol

/// The resources of the REST interface, in the shapes of the older apps' guide. Each operation of the gateway has a
/// path, too (``OperationTable``).
///
/// Routing, the methods of a path and the OpenAPI document come from this table.
enum APIResource: CaseIterable, Sendable {
    case document
    case ticket
    case publishPublicKey
    case ownPublicKey
    case publicKey
    case createConversation
    case listConversations
    case sendMessage
    case history
    case markRead

    /// Before every path.
    static let base = "/api/v1/"

    var method: APIMethod {
        switch self {
        case .document, .ownPublicKey, .publicKey, .listConversations, .history: .get
        case .ticket, .publishPublicKey, .createConversation, .sendMessage, .markRead: .post
        }
    }

    /// Behind the base; `{id}` stands for the id of a user or of a conversation.
    var template: String {
        switch self {
        case .document: "openapi.json"
        case .ticket: "ws-ticket"
        case .publishPublicKey, .ownPublicKey: "users/me/public-key"
        case .publicKey: "users/{id}/public-key"
        case .createConversation, .listConversations: "conversations"
        case .sendMessage: "messages"
        case .history: "conversations/{id}/messages"
        case .markRead: "conversations/{id}/read"
        }
    }

    /// The operation behind it; `nil` if the door answers itself.
    var request: (any Request.Type)? {
        switch self {
        case .document, .ticket: nil
        case .publishPublicKey: PublishKeys.self
        case .ownPublicKey, .publicKey: GetKeys.self
        case .createConversation: CreateConversation.self
        case .listConversations: ListConversations.self
        case .sendMessage: SendMessage.self
        case .history: GetHistory.self
        case .markRead: MarkRead.self
        }
    }

    /// The status of its success: 201 where it makes an object (RFC 9110 §15.3.2).
    var status: Int {
        switch self {
        case .createConversation, .sendMessage: 201
        case .document, .ticket, .publishPublicKey, .ownPublicKey, .publicKey, .listConversations, .history, .markRead:
            200
        }
    }
}

/// A part of a path's template.
private enum PathPart: Hashable, Sendable {
    case literal([UInt8])
    case id

    init(_ text: Substring) {
        self = text == "{id}" ? .id : .literal(Array(text.utf8))
    }
}

extension APIResource {
    private static let table = allCases.map { resource in
        (resource, resource.template.split(separator: "/").map { PathPart($0) })
    }

    /// The resources at a path, and the id in it. A path of literals alone takes precedence over one with an id.
    static func at(_ path: [[UInt8]]) -> (resources: [APIResource], id: [UInt8]) {
        var found: (resources: [APIResource], id: [UInt8]) = ([], [])
        for (resource, template) in table where template.count == path.count {
            var id: [UInt8]?
            let isMatch = zip(template, path).allSatisfy { part, level in
                switch part {
                case .literal(let text): return text == level
                case .id:
                    id = level
                    return true
                }
            }
            guard isMatch else { continue }
            if let id {
                guard found.resources.isEmpty || !found.id.isEmpty else { continue }
                found.id = id
            }
            found.resources.append(resource)
        }
        return found
    }
}
