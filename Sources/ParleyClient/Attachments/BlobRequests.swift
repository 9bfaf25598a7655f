import ParleyCrypto
import ParleyProtocol

/// The requests about one blob to the web door, with the device's own token.
struct BlobRequests: Sendable {
    let connection: any DoorConnection
    let address: WebDoorAddress
    let credentials: @Sendable () async throws -> DeviceCredentials

    static let path = "/api/v1/blobs"
    private static let tus = DoorRequest.Field("Tus-Resumable", "1.0.0")
    private static let patience = Duration.seconds(30)

    // MARK: Uploads (tus 1.0.0)

    /// Announces the blob. A repeat finds the same.
    func create(_ job: UploadJob) async throws(FileTransferError) {
        var digest: [UInt8] = []
        Base64.append(job.seal.digest, to: &digest)
        let metadata = [
            ("id", BlobRequests.base64(job.blob.description)),
            ("conversation_id", BlobRequests.base64(job.conversation.description)),
            ("digest", String(decoding: digest, as: UTF8.self)),
        ]
        let response = try await send(
            .post, BlobRequests.path,
            [
                BlobRequests.tus, DoorRequest.Field("Upload-Length", "\(job.size)"),
                DoorRequest.Field("Upload-Metadata", metadata.map { "\($0.0) \($0.1)" }.joined(separator: ",")),
            ])
        guard response.status == 201 else { throw response.failure }
    }

    /// How much of it the door has.
    func offset(of job: UploadJob) async throws(FileTransferError) -> Int {
        let response = try await send(.head, BlobRequests.path(of: job.blob), [BlobRequests.tus])
        // It was announced just now.
        guard response.status != 404 else { throw .notADoor(status: 404) }
        guard response.status == 200 else { throw response.failure }
        guard let offset = response.offset, offset <= job.size else { throw .notADoor(status: 200) }
        return offset
    }

    func append(_ body: [UInt8], at offset: Int, to job: UploadJob) async throws(FileTransferError) -> DoorResponse {
        try await send(
            .patch, BlobRequests.path(of: job.blob),
            [
                BlobRequests.tus, DoorRequest.Field("Upload-Offset", "\(offset)"),
                DoorRequest.Field("Content-Type", "application/offset+octet-stream"),
            ], body, timeout: PieceSize.patience)
    }

    // MARK: Downloads

    func read(_ range: Range<Int>, of blob: BlobID) async throws(FileTransferError) -> DoorResponse {
        try await send(
            .get, BlobRequests.path(of: blob),
            [DoorRequest.Field("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")],
            timeout: PieceSize.patience)
    }

    // MARK: All of them

    static func path(of blob: BlobID) -> String { "\(path)/\(blob)" }

    private func send(
        _ method: DoorRequest.Method, _ path: String, _ fields: [DoorRequest.Field], _ body: [UInt8] = [],
        timeout: Duration = BlobRequests.patience
    ) async throws(FileTransferError) -> DoorResponse {
        let token: String
        do {
            token = try await credentials().password
        } catch {
            throw .refused(.unauthenticated, "there are no credentials: \(error)")
        }
        let request = DoorRequest(
            method: method, url: address.text + path,
            fields: fields + [DoorRequest.Field("Authorization", "Bearer \(token)")], body: body)
        return try await connection.send(request, timeout: timeout)
    }

    private static func base64(_ text: String) -> String {
        var encoded: [UInt8] = []
        Base64.append(Array(text.utf8), to: &encoded)
        return String(decoding: encoded, as: UTF8.self)
    }
}

extension DoorResponse {
    /// `Upload-Offset`
    var offset: Int? { fields["upload-offset"].flatMap(DoorResponse.number) }

    /// The range and the whole length of `Content-Range: bytes 0-9/100` (RFC 9110 §14.4).
    var contentRange: (first: Int, last: Int, total: Int)? {
        guard let field = fields["content-range"], field.hasPrefix("bytes ") else { return nil }
        let parts = field.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let total = DoorResponse.number(parts[1]) else { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = DoorResponse.number(ends[0]), let last = DoorResponse.number(ends[1]),
            first <= last, last < total
        else { return nil }
        return (first, last, total)
    }

    private static func number(_ text: some StringProtocol) -> Int? {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    /// What a response that is no success means. Only what the protocol says counts as a refusal: anything else may be
    /// somebody else's, such as a network that asks to sign in.
    var failure: FileTransferError {
        if status == 507 { return .doorFull }
        if let rejection = GatewayReply(payload: body)?.rejection { return .refused(rejection.code, rejection.message) }
        // An answer to `HEAD` has no body.
        return switch status {
        case 401 where body.isEmpty: .refused(.unauthenticated, "the door does not accept the token")
        case 403 where body.isEmpty: .refused(.forbidden, "the gateway refuses")
        case 429 where body.isEmpty: .refused(.rateLimited, "too much at once")
        case 502...504: .refused(.unavailable, "the door is away")
        default: .notADoor(status: status)
        }
    }

    /// When the door wants to be asked again.
    var pause: Duration? {
        if let wait = GatewayReply(payload: body)?.rejection?.retryAfterMilliseconds { return .milliseconds(wait) }
        return fields["retry-after"].flatMap(DoorResponse.number).map { .seconds(min($0, 600)) }
    }
}
