import HTTPClient
import ParleyProtocol

/// An object, as a list names it.
struct S3Object: Hashable, Sendable {
    /// Within the door's part of the bucket.
    let name: String
    let size: Int
    let tag: String
    let changed: Timestamp
}

// The operations of S3's API that the store is made of, each named after its own.
extension S3Service {
    /// `PutObject`
    ///
    /// - Returns: the tag of what was written.
    @discardableResult
    func put(_ name: String, _ body: [UInt8] = []) async throws(BlobStoreError) -> String {
        let reply = try await accepted(Request(method: .put, name: name, body: body))
        guard let tag = reply["etag"] else { throw .failed(reason: "S3: no ETag") }
        return tag
    }

    /// `HeadObject`
    func head(_ name: String) async throws(BlobStoreError) -> (size: Int, tag: String)? {
        let reply = try await send(Request(method: .head, name: name))
        guard reply.status == 200 else { return nil }
        guard let size = reply["content-length"].flatMap({ Int($0) }), let tag = reply["etag"] else {
            throw .failed(reason: "S3: no length or ETag")
        }
        return (size, tag)
    }

    /// `GetObject`, of bytes of the object that has this tag.
    ///
    /// - Returns: `nil` if it is not there or another.
    func get(_ name: String, _ range: Range<Int>, tag: String) async throws(BlobStoreError) -> [UInt8]? {
        guard !range.isEmpty else { return [] }
        let fields = [
            (name: "if-match", value: tag),
            (name: "range", value: "bytes=\(range.lowerBound)-\(range.upperBound - 1)"),
        ]
        let reply = try await send(Request(method: .get, name: name, fields: fields))
        guard reply.status == 206 || reply.status == 200 else { return nil }
        guard reply.body.count == range.count else { throw .failed(reason: "S3: another range") }
        return reply.body
    }

    /// `DeleteObject`
    func delete(_ name: String) async throws(BlobStoreError) {
        _ = try await send(Request(method: .delete, name: name))
    }

    func delete(_ names: [String]) async throws(BlobStoreError) {
        _ = try await S3Service.each(names) { name in try await delete(name) }
    }

    /// `ListObjectsV2`
    ///
    /// - Parameters:
    ///   - start: of the names, within the door's part.
    ///   - name: behind which they begin.
    func list(
        _ start: String, after name: String? = nil, most: Int = 1000
    ) async throws(BlobStoreError) -> (objects: [S3Object], isWhole: Bool) {
        let prefix = configuration.bucket.prefix
        var query = [
            (name: "list-type", value: "2"), (name: "max-keys", value: "\(most)"),
            (name: "prefix", value: prefix + start),
        ]
        if let name { query.append((name: "start-after", value: prefix + name)) }
        let document = S3Document(try await accepted(Request(method: .get, name: nil, query: query)).body)
        guard document.isWhole("ListBucketResult") else { throw .failed(reason: "S3: no list") }
        let objects = document.elements("Contents").compactMap { entry -> S3Object? in
            guard let key = entry.text("Key"), key.hasPrefix(prefix), let tag = entry.text("ETag"),
                let size = entry.text("Size").flatMap({ Int($0) }),
                let changed = entry.text("LastModified").flatMap(S3Document.time)
            else { return nil }
            return S3Object(name: String(key.dropFirst(prefix.count)), size: size, tag: tag, changed: changed)
        }
        return (objects, document.text("IsTruncated") != "true" || objects.isEmpty)
    }

    /// All objects whose names begin so.
    func listAll(_ start: String) async throws(BlobStoreError) -> [S3Object] {
        var all: [S3Object] = []
        while true {
            let page = try await list(start, after: all.last?.name)
            all += page.objects
            if page.isWhole { return all }
        }
    }

    /// `CopyObject`, of an object that has this tag.
    func copy(_ source: S3Object, to name: String) async throws(BlobStoreError) {
        let reply = try await send(Request(method: .put, name: name, fields: copyFields(source)))
        try S3Service.check(reply, "CopyObjectResult")
    }

    /// `CreateMultipartUpload`, `UploadPartCopy`, `CompleteMultipartUpload`: puts objects together if they still have
    /// these tags. The new one is there whole or not at all.
    func join(_ sources: [S3Object], as name: String) async throws(BlobStoreError) {
        let reply = try await accepted(Request(method: .post, name: name, query: [(name: "uploads", value: "")]))
        guard let upload = S3Document(reply.body).text("UploadId") else { throw .failed(reason: "S3: no UploadId") }
        do throws(BlobStoreError) {
            let tags = try await S3Service.each(Array(sources.enumerated())) { index, source in
                let query = [(name: "partNumber", value: "\(index + 1)"), (name: "uploadId", value: upload)]
                let reply = try await send(
                    Request(method: .put, name: name, query: query, fields: copyFields(source)))
                try S3Service.check(reply, "CopyPartResult")
                guard let tag = S3Document(reply.body).text("ETag") else {
                    throw BlobStoreError.failed(reason: "S3: no ETag")
                }
                return tag
            }
            let parts = tags.enumerated().map { index, tag in
                "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(S3Document.escaped(tag))</ETag></Part>"
            }
            let body = "<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>"
            let request = Request(
                method: .post, name: name, query: [(name: "uploadId", value: upload)],
                fields: [(name: "content-type", value: "application/xml")], body: Array(body.utf8))
            let reply = try await send(request)
            // An answer may have been lost, and this is one to a repeat.
            if reply.status == 404, try await head(name) != nil { return }
            try S3Service.check(reply, "CompleteMultipartUploadResult")
        } catch {
            try? await abort(name, upload)
            throw error
        }
    }

    /// `AbortMultipartUpload`
    private func abort(_ name: String, _ upload: String) async throws(BlobStoreError) {
        _ = try await send(Request(method: .delete, name: name, query: [(name: "uploadId", value: upload)]))
    }

    /// `ListMultipartUploads`: those that a door has left behind that ended in between.
    func abortUploads(_ start: String, before time: Timestamp) async throws(BlobStoreError) {
        let prefix = configuration.bucket.prefix
        let query = [(name: "prefix", value: prefix + start), (name: "uploads", value: "")]
        let document = S3Document(try await accepted(Request(method: .get, name: nil, query: query)).body)
        for entry in document.elements("Upload") {
            guard let key = entry.text("Key"), key.hasPrefix(prefix), let id = entry.text("UploadId"),
                let begun = entry.text("Initiated").flatMap(S3Document.time), begun < time
            else { continue }
            try await abort(String(key.dropFirst(prefix.count)), id)
        }
    }

    private func copyFields(_ source: S3Object) -> [(name: String, value: String)] {
        let path = "/\(configuration.bucket.name)/\(configuration.bucket.prefix)\(source.name)"
        return [
            (name: "x-amz-copy-source", value: path), (name: "x-amz-copy-source-if-match", value: source.tag),
        ]
    }

    /// A copy may begin with status 200 and end with an error.
    private static func check(_ reply: HTTPReply, _ root: String) throws(BlobStoreError) {
        switch reply.status {
        case 404: throw .missing
        // Another door has written to it.
        case 412: throw .locked
        default:
            guard S3Document(reply.body).isWhole(root) else {
                let code = S3Document(reply.body).text("Code") ?? ""
                throw code == "NoSuchKey" ? .missing : code == "PreconditionFailed" ? .locked : .unavailable
            }
        }
    }

    private func accepted(_ request: Request) async throws(BlobStoreError) -> HTTPReply {
        let reply = try await send(request)
        guard (200..<300).contains(reply.status) else { throw .failed(reason: "S3: status \(reply.status)") }
        return reply
    }

    /// How many requests one operation has under way.
    private static let width = 8

    /// Does it for each of them, some at once.
    private static func each<Element: Sendable, Value: Sendable>(
        _ elements: [Element], _ body: @escaping @Sendable (Element) async throws -> Value
    ) async throws(BlobStoreError) -> [Value] {
        do {
            return try await withThrowingTaskGroup(of: (Int, Value).self) { group in
                var values: [Int: Value] = [:]
                for (index, element) in elements.enumerated() {
                    if index >= width, let (index, value) = try await group.next() { values[index] = value }
                    group.addTask { (index, try await body(element)) }
                }
                while let (index, value) = try await group.next() { values[index] = value }
                return values.sorted { $0.key < $1.key }.map(\.value)
            }
        } catch {
            throw BlobStoreError(error)
        }
    }
}
