import GatewaySite
import MQTTWire
import ParleyProtocol
import Platform

/// One file up through the door and down again, with connections that break. It blocks.
struct BlobTransfer: Sendable {
    let content: BlobContent
    /// Each file is sent by the next of them, whose day has room for a few.
    let groups: [Population.Group]
    let port: UInt16
    /// Each way.
    let interruptions: Int
    let stop: StopFlag
    private var number = 0
    private var id = BlobID.random()

    init(content: BlobContent, groups: [Population.Group], port: UInt16, interruptions: Int, stop: StopFlag) {
        (self.content, self.groups, self.port) = (content, groups, port)
        (self.interruptions, self.stop) = (interruptions, stop)
    }

    private var group: Population.Group { groups[number % groups.count] }
    private var seat: Population.Seat { group.seats[0] }

    /// How long each way took, in seconds.
    struct Times: Sendable {
        let up: Double
        let down: Double
    }

    mutating func run() throws -> Times {
        (number, id) = (number + 1, .random())
        let begun = MonotonicTime.now
        try upload()
        let between = MonotonicTime.now
        try download()
        let end = MonotonicTime.now
        let removed = try ask("DELETE", path, tus)
        guard removed.status == 204 else { throw LoadError.rejected("\(removed.status) to DELETE") }
        return Times(up: Double(between - begun) / 1e9, down: Double(end - between) / 1e9)
    }

    private var path: String { "/api/v1/blobs/\(id)" }
    private var tus: String { "Tus-Resumable: 1.0.0\r\n" }

    /// Where connections break, and the end.
    private var cuts: [Int] {
        (0..<interruptions).map { _ in Int.random(in: 1..<content.count) }.sorted() + [content.count]
    }

    private func checkStop() throws { if stop.isRaised { throw LoadError.interrupted } }

    // MARK: Up

    private func upload() throws {
        func value(_ bytes: some Sequence<UInt8>) -> String { Base64.encode(Array(bytes)) }
        let metadata =
            "id \(value("\(id)".utf8)),conversation_id \(value("\(group.id)".utf8)),digest \(value(content.digest))"
        let created = try ask(
            "POST", "/api/v1/blobs", tus + "Upload-Length: \(content.count)\r\nUpload-Metadata: \(metadata)\r\n")
        guard created.status == 201 else { throw LoadError.rejected("\(created.status) to POST") }
        for cut in cuts {
            let connection = try begin()
            defer { connection.close() }
            var offset = connection.offset
            while offset < cut {
                offset += try content.send(from: offset, to: cut, on: connection.descriptor)
                try checkStop()
            }
            guard cut == content.count else { continue }
            let last = try connection.head()
            guard last.status == 204 else { throw LoadError.rejected("\(last.status) to PATCH") }
        }
    }

    /// A connection whose PATCH the door takes. After a broken one it may be a moment until it is free.
    private func begin() throws -> BlobConnection {
        while true {
            try checkStop()
            let status = try ask("HEAD", path, tus)
            guard status.status == 200, let offset = status.offset else {
                throw LoadError.rejected("\(status.status) to HEAD")
            }
            let connection = try BlobConnection(port, offset: offset)
            try connection.send(
                head(
                    "PATCH", path,
                    tus + "Content-Type: application/offset+octet-stream\r\nExpect: 100-continue\r\n"
                        + "Upload-Offset: \(offset)\r\nContent-Length: \(content.count - offset)\r\n"))
            let answer = try connection.head()
            switch answer.status {
            case 100: return connection
            case 409, 423: connection.close()
            default: throw LoadError.rejected("\(answer.status) to PATCH")
            }
        }
    }

    // MARK: Down

    private func download() throws {
        var offset = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        for cut in cuts where cut > offset {
            let connection = try BlobConnection(port, offset: offset)
            defer { connection.close() }
            try connection.send(head("GET", path, "Range: bytes=\(offset)-\r\n"))
            let answer = try connection.head()
            guard answer.status == 206 else { throw LoadError.rejected("\(answer.status) to GET") }
            while offset < cut {
                let count = try connection.receive(&buffer)
                guard content.matches(buffer, 0..<count, at: offset) else { throw LoadError.missing("same byte") }
                offset += count
                try checkStop()
            }
        }
        guard offset == content.count else { throw LoadError.missing("end") }
    }

    // MARK: Requests

    private func head(_ method: String, _ path: String, _ fields: String) -> [UInt8] {
        Array(
            "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(seat.token)\r\n\(fields)\r\n".utf8
        )
    }

    private func ask(_ method: String, _ path: String, _ fields: String) throws -> BlobConnection.Head {
        let connection = try BlobConnection(port, offset: 0)
        defer { connection.close() }
        try connection.send(head(method, path, fields))
        return try connection.head()
    }
}

/// A connection to the door that blocks.
final class BlobConnection {
    let descriptor: Int32
    /// Where its request begins.
    let offset: Int
    /// What has come behind the last head.
    private var rest: [UInt8] = []
    private var isClosed = false

    struct Head {
        let status: Int
        let offset: Int?
    }

    init(_ port: UInt16, offset: Int) throws {
        descriptor = try Socket.connect(toLoopbackPort: port, blocks: true)
        self.offset = offset
    }

    deinit { close() }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        Socket.close(descriptor)
    }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count { sent += try Socket.send(descriptor, bytes, from: sent) }
    }

    /// Reads the head of the next response.
    func head() throws -> Head {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            if let end = rest.firstRange(of: "\r\n\r\n".utf8) {
                let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
                rest.removeSubrange(..<end.upperBound)
                let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
                guard let status else { throw HTTPResponse.Malformed.response }
                let offset = lines.first { $0.lowercased().hasPrefix("upload-offset: ") }?.dropFirst(15)
                return Head(status: status, offset: offset.flatMap { Int($0) })
            }
            let count = try Socket.receive(descriptor, into: &buffer, at: 0)
            rest += buffer[..<count]
        }
    }

    /// The next bytes of a body.
    func receive(_ buffer: inout [UInt8]) throws -> Int {
        guard rest.isEmpty else {
            defer { rest = [] }
            buffer.replaceSubrange(..<rest.count, with: rest)
            return rest.count
        }
        return try Socket.receive(descriptor, into: &buffer, at: 0)
    }
}
