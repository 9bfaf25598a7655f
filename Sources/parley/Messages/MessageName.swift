import ArgumentParser
import ParleyClient
import ParleyProtocol

/// A message as a person names it: by its number in the conversation, by its id, or by the id's beginning.
enum MessageName: Hashable, Sendable, ExpressibleByArgument {
    case number(Int)
    case id(MessageID)
    case beginning(String)

    init?(argument: String) {
        let text = argument.lowercased()
        if let id = MessageID(text) {
            self = .id(id)
        } else if let number = Int(text.hasPrefix("#") ? text.dropFirst() : text[...]), number > 0,
            text.count < shortestLongID
        {
            self = .number(number)
        } else if text.utf8.count >= shortestIDPrefix, text.allSatisfy({ $0.isHexDigit || $0 == "-" }) {
            self = .beginning(text)
        } else {
            return nil
        }
    }

    /// Reads history back to the message, unless this is its whole id.
    ///
    /// - Throws: ``ToolError`` if there is none, or if it may be several, which are listed.
    func find(in conversation: ConversationID, by client: MessagingClient) async throws -> MessageID {
        let found: [MessageID]
        switch self {
        case .id(let id): return id
        case .number(let number):
            let message = try await client.newest(in: conversation) { $0.position?.seq == number }
            found = message.map { [$0] } ?? []
        case .beginning(let text):
            var all: [MessageID] = []
            _ = try await client.newest(in: conversation) { message in
                if message.id.description.hasPrefix(text) { all.append(message.id) }
                return false
            }
            found = all
        }
        switch found.count {
        case 0: throw ToolError(.rejected, "there is no message \(text) in this conversation")
        case 1: return found[0]
        default:
            let candidates = found.map(\.description).joined(separator: ", ")
            throw ToolError(.usage, "\(text) may be each of these: \(candidates)")
        }
    }

    var text: String {
        switch self {
        case .number(let number): "#\(number)"
        case .id(let id): id.description
        case .beginning(let text): text
        }
    }
}

/// Digits of this length are taken for the beginning of an id, and not for a number.
private let shortestLongID = 8

extension MessagingClient {
    /// Reads history back to a message, which this device has then.
    nonisolated func newest(
        in conversation: ConversationID, where isWanted: (ChatMessage) -> Bool
    ) async throws(ClientError) -> MessageID? {
        var position = HistoryPosition.newest
        while true {
            let slice = try await history(of: conversation, at: position, limit: Limits.pageItems)
            if let found = slice.messages.last(where: isWanted) { return found.id }
            guard !slice.reachedStart, let first = slice.messages.first(where: { $0.position != nil })?.id else {
                return nil
            }
            position = .before(.id(first))
        }
    }
}
