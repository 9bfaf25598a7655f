import Launch
import Logging
import MQTTWire
import NIOConcurrencyHelpers
import NIOCore
import OpenSSL
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyWeb

/// What tests of blobs begin with.
enum BlobSample {
    static let conversation = ConversationID.random()

    /// Bytes that repeat nowhere.
    static func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var state = seed
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }

    /// 17 MiB.
    static let large = bytes(17 << 20)

    static func digest(_ bytes: [UInt8]) throws -> BlobDigest {
        var hash = try SHA256.begin()
        try hash.update(bytes.span)
        return try #require(BlobDigest(try hash.finish()))
    }

    static func blob(_ bytes: [UInt8], id: BlobID = .random()) throws -> Blob {
        Blob(
            id: id, conversation: conversation, size: bytes.count, digest: try digest(bytes),
            createdAt: Timestamp(milliseconds: 0), expiresAt: Timestamp(milliseconds: 784_111_777_000))
    }

    static func base64(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        Base64.append(Array(bytes), to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// The value of `Upload-Metadata`.
    static func metadata(_ blob: Blob) -> String {
        "id \(base64("\(blob.id)".utf8)),conversation_id \(base64("\(blob.conversation)".utf8)),"
            + "digest \(base64(blob.digest.bytes)),filename \(base64("../../etc/passwd".utf8))"
    }
}

/// Stands for the gateway: whoever makes a blob may have it, and whom a test lets.
final class BlobAuthorityDouble: BlobAuthority {
    struct State {
        var blobs: [BlobID: (blob: Blob, maker: UserID)] = [:]
        var readers: [BlobID: Set<UserID>] = [:]
        var gone: Set<BlobID> = []
        var isDown = false
        /// What the door has said that it removed.
        var removed: [BlobID] = []
    }

    let state = NIOLockedValueBox(State())

    func create(_ request: CreateBlob, by token: SessionToken) async throws(BlobRefusal) -> Blob {
        let blob = state.withLockedValue { state -> Blob? in
            let user = token.address.user
            if let known = state.blobs[request.id] {
                let isSame = known.maker == user && known.blob.size == request.size
                return isSame && known.blob.digest == request.digest ? known.blob : nil
            }
            let blob = Blob(
                id: request.id, conversation: request.conversation, size: request.size, digest: request.digest,
                createdAt: Timestamp(milliseconds: 0), expiresAt: Timestamp(milliseconds: 784_111_777_000))
            state.blobs[request.id] = (blob, user)
            return blob
        }
        guard let blob else { throw BlobRefusal(Rejection(.conflict, "This id is another blob's.")) }
        return blob
    }

    func blob(_ id: BlobID, for token: SessionToken) async throws(BlobRefusal) -> Blob {
        let blob = state.withLockedValue { state -> Blob? in
            guard let known = state.blobs[id], !state.gone.contains(id) else { return nil }
            let user = token.address.user
            return known.maker == user || state.readers[id]?.contains(user) == true ? known.blob : nil
        }
        guard let blob else { throw BlobRefusal(.blobNotFound) }
        return blob
    }

    func delete(_ id: BlobID, by token: SessionToken) async throws(BlobRefusal) {
        let isMaker = state.withLockedValue { state in
            guard state.blobs[id]?.maker == token.address.user else { return false }
            state.gone.insert(id)
            return true
        }
        if !isMaker { throw BlobRefusal(.blobNotFound) }
    }

    func collect(_ request: CollectBlobs) async throws(BlobRefusal) -> BlobCollection {
        let collection = state.withLockedValue { state -> BlobCollection? in
            guard !state.isDown else { return nil }
            state.removed += request.removed
            for id in request.removed {
                state.gone.remove(id)
                state.blobs[id] = nil
            }
            return BlobCollection(
                gone: Array(state.gone.sorted().prefix(Limits.collectedBlobs)),
                unknown: request.known.filter { state.blobs[$0] == nil })
        }
        guard let collection else { throw BlobRefusal(.unavailable) }
        return collection
    }
}

/// A door with blobs in this process.
struct BlobSite {
    let port: UInt16
    let authority: BlobAuthorityDouble
    let directory: TemporaryDirectory

    static func with(
        _ limits: DoorLimits = DoorLimits(), _ change: (inout BlobConfiguration) -> Void = { _ in },
        _ body: (BlobSite) async throws -> Void
    ) async throws {
        let (authority, directory) = (BlobAuthorityDouble(), try TemporaryDirectory())
        var blobs = BlobConfiguration(.disk(directory: directory.path))
        blobs.reserve = 0
        change(&blobs)
        let refusing = try RefusingPort(0)
        let broker = try #require(BrokerAddress("127.0.0.1:\(refusing.number)"))
        let name = try #require(ConnectionName("web"))
        var configuration = WebConfiguration(port: 0, link: BrokerConfiguration(broker, name: name))
        (configuration.limits, configuration.blobs) = (limits, blobs)
        configuration.allowedOrigins = ["https://app.example"]
        let (ready, isReady) = AsyncStream.makeStream(of: Int.self)
        var door = WebDoor(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) { port in
            isReady.yield(port)
        }
        door.blobAuthority = authority
        try await withThrowingTaskGroup(of: Void.self) { [door] group in
            // Not on the threads of tests that block.
            group.addTask(executorPreference: globalConcurrentExecutor) { try await door.run() }
            var ports = ready.makeAsyncIterator()
            if let port = await ports.next() {
                try await body(BlobSite(port: UInt16(clamping: port), authority: authority, directory: directory))
            }
            group.cancelAll()
        }
    }

    func connect() throws -> HTTPConnection { try HTTPConnection(toLoopbackPort: port) }

    static func head(
        _ method: String, _ path: String, as user: String? = "alice", _ fields: [String] = []
    ) -> String {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: door.example"] + fields
        if let user, let token = DoorSample.token(user: user) { lines.append("Authorization: Bearer \(token.text)") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    func ask(
        _ method: String, _ path: String, as user: String? = "alice", _ fields: [String] = [], _ body: [UInt8] = []
    ) throws -> HTTPConnection.Answer {
        let connection = try connect()
        let length = body.isEmpty ? [] : ["Content-Length: \(body.count)"]
        try connection.send(BlobSite.head(method, path, as: user, fields + length))
        try connection.send(body)
        return try #require(try connection.answer(hasBody: method != "HEAD"))
    }

    func path(_ blob: Blob) -> String { "/api/v1/blobs/\(blob.id)" }

    static let tus = "Tus-Resumable: 1.0.0"
    static let stream = "Content-Type: application/offset+octet-stream"

    func create(_ blob: Blob, as user: String = "alice") throws -> HTTPConnection.Answer {
        try ask(
            "POST", "/api/v1/blobs", as: user,
            [BlobSite.tus, "Upload-Length: \(blob.size)", "Upload-Metadata: \(BlobSample.metadata(blob))"])
    }

    func append(
        _ blob: Blob, _ bytes: [UInt8], at offset: Int, as user: String = "alice"
    ) throws -> HTTPConnection.Answer {
        try ask("PATCH", path(blob), as: user, BlobSite.patch(at: offset), bytes)
    }

    static func patch(at offset: Int) -> [String] { [tus, stream, "Upload-Offset: \(offset)"] }

    /// Where the upload stands.
    func offset(_ blob: Blob, as user: String = "alice") throws -> Int? {
        try ask("HEAD", path(blob), as: user, [BlobSite.tus])["upload-offset"].flatMap { Int($0) }
    }

    /// A complete blob.
    func uploaded(_ bytes: [UInt8], as user: String = "alice") throws -> Blob {
        let blob = try BlobSample.blob(bytes)
        try #require(try create(blob, as: user).status == 201)
        try #require(try append(blob, bytes, at: 0, as: user).status == 204)
        return blob
    }
}
