import HTTPTypes
import HummingbirdCore
import Metrics
import NIOCore
import ParleyProtocol

/// What a download sends: a part of a blob, or all of it.
struct BlobContent: Sendable {
    let id: BlobID
    let token: SessionToken
    let reader: any BlobReader
    let status: HTTPResponse.Status
    let fields: HTTPFields
    let range: Range<Int>
}

extension BlobDoor {
    /// `GET`, and `HEAD` of a client that is not of tus.
    func content(of id: BlobID, _ request: WebRequest, _ token: SessionToken) async throws(BlobRefusal) -> Answer {
        let blob = try await authority.blob(id, for: token)
        let reader = try await run { () async throws(BlobStoreError) in
            let reader = try await store.open(id)
            guard reader.map({ $0.size == blob.size }) ?? true else {
                throw .failed(reason: "the file of \(id) has not its size")
            }
            return reader
        }
        // Its upload is not complete.
        guard let reader else { throw BlobRefusal(.blobNotFound) }
        let tag = EntityTag(blob.digest.bytes)
        var fields = BlobDoor.validators(of: blob, tag)
        if tag.isNamed(byIfNoneMatch: request.headers[.ifNoneMatch]) { return .head(.notModified, fields) }
        let isForRange = request.method == .get && tag.permitsRange(ifRange: request.headers[.ifRange])
        let requested = isForRange ? RequestedRange(request.headers[.range], size: blob.size) : .whole
        fields[.contentType] = "application/octet-stream"
        fields[.contentDisposition] = "attachment"
        let (range, status): (Range<Int>, HTTPResponse.Status)
        switch requested {
        case .unsatisfiable:
            let rejection = Rejection(.badRequest, "Range: the blob has \(blob.size) bytes.")
            return .refusal(
                APIResponse(rejection, status: 416),
                [.contentRange: "bytes */\(blob.size)", .acceptRanges: "bytes"])
        case .whole: (range, status) = (0..<blob.size, .ok)
        case .part(let part):
            (range, status) = (part, .partialContent)
            fields[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(blob.size)"
        }
        fields[.contentLength] = "\(range.count)"
        guard request.method == .get else { return .head(status, fields) }
        return .content(
            BlobContent(id: id, token: token, reader: reader, status: status, fields: fields, range: range))
    }

    private static func validators(of blob: Blob, _ tag: EntityTag) -> HTTPFields {
        var fields: HTTPFields = [
            .eTag: tag.text, .acceptRanges: "bytes", .cacheControl: "private, no-transform, max-age=0",
        ]
        var digest: [UInt8] = []
        Base64.append(blob.digest.bytes, to: &digest)
        // RFC 9530 §3
        if let name = HTTPField.Name("Repr-Digest") {
            fields[name] = "sha-256=:\(String(decoding: digest, as: UTF8.self)):"
        }
        return fields
    }

    /// Sends the bytes as fast as the client reads them. The next are read from the disk meanwhile.
    ///
    /// - Throws: what closes the connection before the promised length.
    func send(
        _ content: BlobContent, _ head: HTTPResponse, on loop: any EventLoop, _ writer: consuming ResponseWriter
    ) async throws {
        let user = content.token.address.user
        do throws(BlobRefusal) {
            try downloads.take(user)
        } catch {
            let fields = error.response.fields
            let head = HTTPResponse(status: .init(code: error.response.status), headerFields: fields)
            return try await writer.write(
                response: head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: error.response.body)))
        }
        DoorMetrics.shared.downloads.increment()
        defer {
            downloads.release(user)
            DoorMetrics.shared.downloads.decrement()
        }
        var body = try await writer.writeHead(head)
        var position = content.range.lowerBound
        let end = content.range.upperBound
        var confirmAt = NIODeadline.now() + configuration.confirmation
        var next = read(content.reader, position..<end, on: loop)
        while position < end {
            let part = try await next.get()
            guard part.readableBytes > 0 else {
                throw refusal(.failed(reason: "the file of \(content.id) ended early"))
            }
            position += part.readableBytes
            if position < end { next = read(content.reader, position..<end, on: loop) }
            try await body.write(part)
            DoorMetrics.shared.sentBytes.increment(by: Int64(part.readableBytes))
            guard NIODeadline.now() >= confirmAt else { continue }
            // A member who was removed meanwhile gets no more of it.
            _ = try await authority.blob(content.id, for: content.token)
            confirmAt = .now() + configuration.confirmation
        }
        try await body.finish(nil)
    }

    private func read(
        _ reader: any BlobReader, _ range: Range<Int>, on loop: any EventLoop
    ) -> EventLoopFuture<ByteBuffer> {
        reader.read(at: range.lowerBound, count: min(range.count, reader.piece), on: loop)
    }
}
