import Foundation
import GatewaySite
import MQTTWire
import ParleyProtocol

/// A conversation's whole history, read through the door from the newest page on.
struct WebHistory {
    private let port: UInt16

    init(port: UInt16) { self.port = port }

    /// The ids, the oldest first.
    func ids(of conversation: ConversationID, by seat: Population.Seat) throws -> [MessageID] {
        let descriptor = try Socket.connect(toLoopbackPort: port, blocks: true)
        defer { Socket.close(descriptor) }
        var input = [UInt8](repeating: 0, count: 1 << 20)
        var newestFirst: [MessageID] = []
        var before: MessageID?
        repeat {
            let request = WebRequests.page(seat, conversation, limit: 200, before: before)
            _ = try Socket.send(descriptor, request, from: 0)
            var (end, response) = (0, HTTPResponse?.none)
            while response == nil {
                end += try Socket.receive(descriptor, into: &input, at: end)
                response = try HTTPResponse.next(in: input, from: 0, to: end)
            }
            guard let response, response.status == 200 else { throw LoadError.missing("page of history") }
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let page = try decoder.decode(Page.self, from: Data(input[response.body]))
            newestFirst += page.messages.reversed().compactMap { MessageID($0.id) }
            before = page.nextCursor.flatMap { MessageID($0) }
        } while before != nil
        return newestFirst.reversed()
    }

    private struct Page: Decodable {
        struct Message: Decodable { let id: String }
        let messages: [Message]
        let nextCursor: String?
    }
}
