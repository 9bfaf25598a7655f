import HTTPTypes
import HummingbirdCore
import Metrics
import NIOCore
import ParleyProtocol

// MARK: tus

extension BlobDoor {
    /// `POST`: announces the blob to the gateway, and makes an empty upload. A repeat finds the same.
    func create(_ request: WebRequest, _ token: SessionToken) async throws(BlobRefusal) -> Answer {
        let creation = try BlobRefusal.check { () throws(APIRefusal) in
            try Tus.checkVersion(request.headers)
            return try Tus.creation(request.headers)
        }
        let blob = try await authority.create(creation, by: token)
        let upload = BlobUpload(id: blob.id, maker: token.address.user)
        try await run { () async throws(BlobStoreError) in try await store.begin(upload, blob) }
        var fields = BlobDoor.expiry(of: blob)
        fields[.location] = BlobPath.path(of: blob.id)
        fields[.contentLength] = "0"
        return .head(.created, fields)
    }

    /// `HEAD` with `Tus-Resumable`
    func progress(
        of id: BlobID, _ request: WebRequest, _ token: SessionToken
    ) async throws(BlobRefusal) -> Answer {
        try BlobRefusal.check { () throws(APIRefusal) in try Tus.checkVersion(request.headers) }
        let blob = try await authority.blob(id, for: token)
        let upload = BlobUpload(id: id, maker: token.address.user)
        let progress = try await run { () async throws(BlobStoreError) in
            try await store.progress(of: upload, blob)
        }
        var fields = BlobDoor.expiry(of: blob)
        fields[Tus.length] = "\(blob.size)"
        fields[.cacheControl] = "no-store"
        switch progress {
        case .missing: throw refusal(.missing)
        case .partial(let offset): fields[Tus.offset] = "\(offset)"
        case .complete: fields[Tus.offset] = "\(blob.size)"
        }
        return .head(.ok, fields)
    }

    /// `DELETE`: the gateway forgets the blob, while no message names it.
    func terminate(
        _ id: BlobID, _ request: WebRequest, _ token: SessionToken
    ) async throws(BlobRefusal) -> Answer {
        try BlobRefusal.check { () throws(APIRefusal) in try Tus.checkVersion(request.headers) }
        try await authority.delete(id, by: token)
        try await run { () async throws(BlobStoreError) in try await store.remove([id]) }
        return .head(.noContent, [:])
    }

    /// `PATCH`: appends the body. What has come stays, also if the rest does not come.
    func append(
        to id: BlobID, _ request: WebRequest, _ token: SessionToken, on loop: any EventLoop,
        _ writer: borrowing ResponseWriter
    ) async throws(BlobRefusal) -> Answer {
        let offset = try BlobRefusal.check { () throws(APIRefusal) in try BlobDoor.offset(of: request.headers) }
        let user = token.address.user
        let blob = try await authority.blob(id, for: token)
        // Only now: before that anybody may say to be this user.
        try uploads.take(user)
        DoorMetrics.shared.uploads.increment()
        defer {
            uploads.release(user)
            DoorMetrics.shared.uploads.decrement()
        }
        let upload = BlobUpload(id: id, maker: user)
        guard offset < blob.size else { return try await appendNothing(to: upload, blob, at: offset) }
        let length = request.headers[.contentLength].flatMap { Int($0) } ?? 0
        guard length <= blob.size - offset else { throw BlobDoor.tooLong }
        let file = try await run { () async throws(BlobStoreError) in
            try await store.append(to: upload, at: offset, blob)
        }
        defer { file.close() }
        if request.headers[.expect]?.lowercased() == "100-continue" {
            do {
                try await writer.writeInformationalHead(HTTPResponse(status: .continue))
            } catch {
                throw BlobDoor.broken
            }
        }
        var intake = BlobIntake(file, remaining: blob.size - offset, on: loop, configuration.confirmation)
        try await receive(request.body, into: &intake, of: file) { () async throws(BlobRefusal) in
            _ = try await authority.blob(id, for: token)
        }
        if file.offset == blob.size {
            try await run { () async throws(BlobStoreError) in try await file.complete() }
            DoorMetrics.shared.completeBlobs.increment()
        }
        var fields = BlobDoor.expiry(of: blob)
        fields[Tus.offset] = "\(file.offset)"
        return .head(.noContent, fields)
    }

    private static func offset(of fields: HTTPFields) throws(APIRefusal) -> Int {
        try Tus.checkVersion(fields)
        guard fields[.contentType]?.lowercased() == Tus.contentType else {
            throw APIRefusal(Rejection(.badRequest, "The body is not \(Tus.contentType)."), status: 415)
        }
        return try Tus.count(Tus.offset, in: fields)
    }

    /// A repeat of a request that had brought the last byte.
    private func appendNothing(
        to upload: BlobUpload, _ blob: Blob, at offset: Int
    ) async throws(BlobRefusal) -> Answer {
        guard offset == blob.size else { throw BlobDoor.tooLong }
        let progress = try await run { () async throws(BlobStoreError) in
            try await store.progress(of: upload, blob)
        }
        switch progress {
        case .missing: throw refusal(.missing)
        case .partial(let offset): throw refusal(.offset(offset))
        case .complete: return .head(.noContent, [Tus.offset: "\(blob.size)"])
        }
    }

    /// - Parameter confirm: asks the gateway again.
    private func receive(
        _ body: HummingbirdCore.RequestBody, into intake: inout BlobIntake, of file: any BlobWriter,
        confirm: () async throws(BlobRefusal) -> Void
    ) async throws(BlobRefusal) {
        var isBroken = false
        do {
            for try await part in body {
                guard try await intake.append(part) else { break }
                if intake.needsConfirmation { try await confirm() }
            }
        } catch {
            switch error {
            case let error as BlobStoreError: throw refusal(error)
            case let error as BlobRefusal: throw error
            default: isBroken = true
            }
        }
        do {
            try await intake.finish()
        } catch {
            throw refusal(BlobStoreError(error))
        }
        if isBroken || intake.isTooLong || !intake.isComplete {
            try await run { () async throws(BlobStoreError) in try await file.keep() }
        }
        if intake.isTooLong { throw BlobDoor.tooLong }
        if isBroken { throw BlobDoor.broken }
    }

    private static let tooLong = BlobRefusal(Rejection(.tooLarge, "The body goes beyond Upload-Length."))
    private static let broken = BlobRefusal(Rejection(.badRequest, "The body did not come whole."))

    private static func expiry(of blob: Blob) -> HTTPFields {
        guard let time = blob.expiresAt else { return [:] }
        return [Tus.expires: HTTPDate.text(time)]
    }
}

/// Hands a body on to the store in large pieces: while one is written, the next comes in.
struct BlobIntake {
    private let file: any BlobWriter
    private let loop: any EventLoop
    private let confirmation: TimeAmount
    private var remaining: Int
    private var parts: [ByteBuffer] = []
    private var count = 0
    private var writing: EventLoopFuture<Void>?
    private var confirmAt: NIODeadline
    /// Whether more bytes came than the blob has.
    private(set) var isTooLong = false

    private static let piece = 524_288
    /// Each part keeps the memory of what it was read with.
    private static let mostParts = 64

    init(_ file: any BlobWriter, remaining: Int, on loop: any EventLoop, _ confirmation: TimeAmount) {
        (self.file, self.remaining, self.loop, self.confirmation) = (file, remaining, loop, confirmation)
        confirmAt = .now() + confirmation
    }

    /// - Returns: `false` if it is too much.
    mutating func append(_ part: ByteBuffer) async throws -> Bool {
        guard part.readableBytes <= remaining else {
            isTooLong = true
            return false
        }
        guard part.readableBytes > 0 else { return true }
        remaining -= part.readableBytes
        count += part.readableBytes
        parts.append(part)
        if count >= BlobIntake.piece || parts.count >= BlobIntake.mostParts { try await write() }
        return true
    }

    /// Whether the gateway is to be asked again. It is so once.
    var needsConfirmation: Bool {
        mutating get {
            let now = NIODeadline.now()
            guard now >= confirmAt else { return false }
            confirmAt = now + confirmation
            return true
        }
    }

    private mutating func write() async throws {
        try await writing?.get()
        writing = nil
        guard !parts.isEmpty else { return }
        DoorMetrics.shared.receivedBytes.increment(by: Int64(count))
        writing = file.write(parts, on: loop)
        (parts, count) = ([], 0)
    }

    /// Whether all of the blob has come.
    var isComplete: Bool { remaining == 0 }

    /// Writes what is left.
    mutating func finish() async throws {
        try await write()
        try await writing?.get()
        writing = nil
    }
}
