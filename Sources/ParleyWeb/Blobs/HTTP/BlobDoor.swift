import HTTPTypes
import HummingbirdCore
import Logging
import Metrics
import NIOCore
import ParleyProtocol

/// Takes and gives the bytes of blobs: uploads by tus 1.0.0, downloads with ranges. For each of them it asks the
/// gateway with the caller's own token.
struct BlobDoor: Sendable {
    let store: any BlobStore
    let authority: any BlobAuthority
    let configuration: BlobConfiguration
    let collector: BlobCollector
    let uploads: TransferSlots
    let downloads: TransferSlots
    private let credentials: Credentials
    private let logger: Logger

    init(
        _ configuration: BlobConfiguration, _ store: any BlobStore, _ authority: any BlobAuthority,
        _ credentials: Credentials, logger: Logger
    ) {
        (self.configuration, self.store, self.authority) = (configuration, store, authority)
        (self.credentials, self.logger) = (credentials, logger)
        collector = BlobCollector(store: store, authority: authority, configuration: configuration, logger: logger)
        (uploads, downloads) = (TransferSlots(configuration.uploads), TransferSlots(configuration.downloads))
    }

    /// The answer to a request.
    enum Answer: Sendable {
        /// Without a body.
        case head(HTTPResponse.Status, HTTPFields)
        case refusal(APIResponse, HTTPFields = [:])
        case content(BlobContent)
    }

    /// - Parameters:
    ///   - origin: of the page, which may use the door.
    ///   - loop: of the connection.
    func respond(
        to request: WebRequest, at path: BlobPath, for origin: String?, on loop: any EventLoop,
        _ writer: consuming ResponseWriter
    ) async throws {
        let answer: Answer
        do throws(BlobRefusal) {
            answer = try await self.answer(request, path, on: loop, writer)
        } catch {
            answer = .refusal(error.response)
        }
        switch answer {
        case .head(let status, let fields):
            try await writer.writeResponse(head(status, fields, request, for: origin))
        case .refusal(let response, let more):
            let fields = response.fields + more
            let head = head(HTTPResponse.Status(code: response.status), fields, request, for: origin)
            guard request.method != .head else { return try await writer.writeResponse(head) }
            try await writer.write(response: head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.body)))
        case .content(let content):
            let head = head(content.status, content.fields, request, for: origin)
            try await send(content, head, on: loop, writer)
        }
    }

    private func head(
        _ status: HTTPResponse.Status, _ fields: HTTPFields, _ request: WebRequest, for origin: String?
    ) -> HTTPResponse {
        DoorMetrics.shared.countResponse(status.code)
        var fields = fields
        fields[Tus.resumable] = Tus.version
        if status.code == 412 { fields[Tus.versions] = Tus.version }
        fields.permitReading(by: origin)
        if origin != nil {
            fields[.accessControlExposeHeaders] = Tus.responseFields
            if request.method == .options {
                fields[.accessControlAllowMethods] = "DELETE, GET, HEAD, OPTIONS, PATCH, POST"
                fields[.accessControlAllowHeaders] = Tus.requestFields
                fields[.accessControlMaxAge] = "600"
            }
        }
        return HTTPResponse(status: status, headerFields: fields)
    }

    private func answer(
        _ request: WebRequest, _ path: BlobPath, on loop: any EventLoop, _ writer: borrowing ResponseWriter
    ) async throws(BlobRefusal) -> Answer {
        switch (path, request.method) {
        case (_, .options):
            return .head(.noContent, [Tus.versions: Tus.version, Tus.extensionNames: Tus.extensions])
        case (.uploads, .post):
            return try await create(request, try token(of: request))
        case (.blob(let id), .head) where request.headers[Tus.resumable] != nil:
            return try await progress(of: id, request, try token(of: request))
        case (.blob(let id), .head), (.blob(let id), .get):
            return try await content(of: id, request, try token(of: request))
        case (.blob(let id), .patch):
            return try await append(to: id, request, try token(of: request), on: loop, writer)
        case (.blob(let id), .delete):
            return try await terminate(id, request, try token(of: request))
        case (.uploads, _):
            throw BlobDoor.method("OPTIONS, POST")
        case (.blob, _):
            throw BlobDoor.method("DELETE, GET, HEAD, OPTIONS, PATCH")
        }
    }

    private static func method(_ allowed: String) -> BlobRefusal {
        BlobRefusal(
            APIResponse(Rejection(.badRequest, "This path takes only \(allowed)."), status: 405, allow: allowed))
    }

    private func token(of request: WebRequest) throws(BlobRefusal) -> SessionToken {
        do throws(Rejection) {
            return try credentials.token(authorization: request.headers[.authorization])
        } catch {
            throw BlobRefusal(error)
        }
    }

    /// The refusal that says what a store could not do.
    func refusal(_ error: BlobStoreError) -> BlobRefusal {
        switch error {
        case .locked:
            BlobRefusal(Rejection(.conflict, "Another request writes to this upload."), status: 423)
        case .offset(let offset):
            BlobRefusal(Rejection(.conflict, "Upload-Offset: the upload is at \(offset)."))
        case .missing: BlobRefusal(Rejection(.notFound, "There is no such upload."))
        case .full:
            BlobRefusal(
                Rejection(.unavailable, "There is no space for this upload now.", retryAfterMilliseconds: 60_000),
                status: 507)
        case .wrongDigest:
            BlobRefusal(
                Rejection(.badRequest, "The bytes are not those of the digest; the upload is at 0 again."), status: 422)
        case .unavailable: BlobRefusal(.unavailable)
        case .failed(let reason):
            BlobRefusal(failure(reason))
        }
    }

    private func failure(_ reason: String) -> Rejection {
        logger.error("a blob cannot be stored or read", metadata: ["reason": "\(reason)"])
        return .internalFault
    }

    func run<Value: Sendable>(
        _ body: () async throws(BlobStoreError) -> Value
    ) async throws(BlobRefusal) -> Value {
        do throws(BlobStoreError) {
            return try await body()
        } catch {
            throw refusal(error)
        }
    }
}

extension BlobRefusal {
    /// Runs checks of the request.
    static func check<Value>(_ body: () throws(APIRefusal) -> Value) throws(BlobRefusal) -> Value {
        do throws(APIRefusal) {
            return try body()
        } catch {
            throw BlobRefusal(error)
        }
    }
}
