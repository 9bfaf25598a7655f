import Foundation
import FoundationNetworking
import ParleyProtocol
import Sodium

// The networking code of an app as the older guide prints it: an API client with `Codable` models, and `crypto_box`
// between the two devices of a conversation.

struct OlderConversation: Codable {
    let id: String
    let type: String
    let name: String?
    let updatedAt: Date
    let unreadCount: Int?
}

struct OlderConversationList: Codable {
    let conversations: [OlderConversation]
    let total: Int
    let limit: Int
    let offset: Int
}

struct OlderMessage: Codable {
    let id: String
    let conversationId: String
    let senderId: String
    let encryptedContent: String
    let nonce: String
    let messageType: String
    let createdAt: Date
}

struct OlderMessagePage: Codable {
    let messages: [OlderMessage]
    let hasMore: Bool
    let nextCursor: String?
}

struct OlderPublicKey: Codable {
    let userId: String
    let publicKey: String
}

struct OlderPublishKey: Codable {
    let publicKey: String
}

struct OlderCreateConversation: Codable {
    let type: String
    let participantIds: [String]
    var name: String?
}

struct OlderSendMessage: Codable {
    let conversationId: String
    let encryptedContent: String
    let nonce: String
    let messageType: String
}

/// What an answer other than of success says.
struct OlderAPIError: Error {
    let status: Int
    let body: JSON
}

/// The app's API client.
struct OlderAPIClient: Sendable {
    private let baseURL: URL
    private let token: String
    private let session = URLSession(configuration: .ephemeral)

    init?(port: UInt16, token: String) {
        guard let url = URL(string: "http://127.0.0.1:\(port)/api/v1") else { return nil }
        (baseURL, self.token) = (url, token)
    }

    private struct NoBody: Encodable {}

    func get<Reply: Decodable>(_ path: String, _ query: [String: String] = [:]) async throws -> Reply {
        try await request("GET", path, query, NoBody?.none)
    }

    func post<Reply: Decodable>(_ path: String, _ body: some Encodable) async throws -> Reply {
        try await request("POST", path, [:], body)
    }

    private func request<Reply: Decodable>(
        _ method: String, _ path: String, _ query: [String: String], _ body: (some Encodable)?
    ) async throws -> Reply {
        var url = baseURL.appending(path: path)
        if !query.isEmpty { url.append(queryItems: query.map { URLQueryItem(name: $0.key, value: $0.value) }) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        if let body {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            request.httpBody = try encoder.encode(body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let (data, response) = try await session.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200..<300).contains(status) else {
            throw OlderAPIError(status: status, body: (try? JSON(parsing: data)) ?? .null)
        }
        return try OlderAPIClient.decoder.decode(Reply.self, from: data)
    }

    /// Snake case, and times of ISO 8601 with fractions of a second.
    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            return try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        }
        return decoder
    }
}

/// An app of one user: its client, and its key pair for `crypto_box`.
struct OlderApp: Sendable {
    let user: String
    let api: OlderAPIClient
    private let key: X25519.SecretKey

    init?(_ door: TestDoor, _ credentials: DeviceCredentials) throws {
        guard let api = OlderAPIClient(port: door.port, token: credentials.password) else { return nil }
        (user, self.api, key) = (credentials.username, api, try X25519.SecretKey.generate())
    }

    func publishKey() async throws -> OlderPublicKey {
        try await api.post("users/me/public-key", OlderPublishKey(publicKey: base64(key.publicKey.bytes)))
    }

    private func shared(with user: String) async throws -> Box.SharedKey {
        let published: OlderPublicKey = try await api.get("users/\(user)/public-key")
        let bytes = Array(Data(base64Encoded: published.publicKey) ?? Data())
        return try Box.SharedKey(between: key, and: X25519.PublicKey(bytes))
    }

    func send(_ text: String, to user: String, in conversation: String) async throws -> OlderMessage {
        let nonce = try RandomBytes.make(count: Box.nonceLength)
        let content = Array(text.utf8)
        let sealed = try await shared(with: user).seal(content.span, nonce: nonce.span)
        return try await api.post(
            "messages",
            OlderSendMessage(
                conversationId: conversation, encryptedContent: base64(sealed), nonce: base64(nonce),
                messageType: "text"))
    }

    func open(_ message: OlderMessage, with user: String) async throws -> String {
        try await open(message.encryptedContent, message.nonce, with: user)
    }

    /// What another app has sealed, in base64.
    func open(_ content: String?, _ nonce: String?, with user: String) async throws -> String {
        let box = Array(Data(base64Encoded: content ?? "") ?? Data())
        let nonce = Array(Data(base64Encoded: nonce ?? "") ?? Data())
        return String(decoding: try await shared(with: user).open(box.span, nonce: nonce.span), as: UTF8.self)
    }
}
