import HTTPClient
import Logging
import NIOConcurrencyHelpers
import ParleyProtocol
import Platform

/// Sends requests to the service, signed, and again where it did not answer. All of them may come twice.
struct S3Service: Sendable {
    let configuration: S3Configuration
    let client: HTTPClient
    private let signature: S3Signature
    private let outage: S3Outage

    /// What is sent, by the name of the object within the door's part of the bucket.
    struct Request: Sendable {
        let method: Method
        /// `nil` for the bucket.
        let name: String?
        var query: [(name: String, value: String)] = []
        var fields: [(name: String, value: String)] = []
        var body: [UInt8] = []

        enum Method: String, Sendable {
            case get = "GET"
            case head = "HEAD"
            case post = "POST"
            case put = "PUT"
            case delete = "DELETE"
        }
    }

    init(_ configuration: S3Configuration, logger: Logger) {
        self.configuration = configuration
        signature = S3Signature(credentials: configuration.credentials, region: configuration.region)
        outage = S3Outage(logger)
        // The longest are a part that is not full, which is read again, and a list of a thousand names.
        client = HTTPClient(
            limits: HTTPLimits(
                connect: .seconds(5), connections: 64, streams: 64, origins: 2, body: S3BlobStore.part))
    }

    private static let attempts = 4
    /// For the largest part at the slowest rate.
    private static let patience = Duration.seconds(60)

    /// - Returns: an answer with status 200 to 299, 404 or 412.
    func send(_ request: Request) async throws(BlobStoreError) -> HTTPReply {
        let digest: String
        do {
            digest = try S3Signature.digest(request.body.span)
        } catch {
            throw .failed(reason: "SHA-256: \(error)")
        }
        var problem = ""
        for attempt in 0..<S3Service.attempts {
            if attempt > 0 {
                do {
                    try await Task.sleep(for: .milliseconds(100 << (2 * attempt - 2)))
                } catch {
                    break
                }
            }
            let end = ContinuousClock.now.advanced(by: S3Service.patience)
            switch await client.send(try signed(request, digest), to: .service(configuration.endpoint.url), until: end)
            {
            case .failure(.notSent(let reason)), .failure(.answerLost(let reason)): problem = reason
            case .success(let reply):
                switch reply.status {
                case 200..<300 where !S3Service.isWhole(reply, request.method): problem = "its answer broke off"
                case 200..<300, 404, 412:
                    // A bucket that is missing is no object that is missing.
                    let code = reply.status == 404 ? S3Document(reply.body).text("Code") : nil
                    guard code != "NoSuchBucket" else { throw refused("NoSuchBucket") }
                    outage.end()
                    return reply
                case 507: throw .full
                case 408, 429, 500...: problem = "status \(reply.status)"
                default:
                    let code = S3Document(reply.body).text("Code") ?? ""
                    // By Ceph, MinIO and others.
                    guard !["QuotaExceeded", "XMinioStorageFull", "XAmzContentQuotaExceeded"].contains(code) else {
                        throw .full
                    }
                    throw refused("status \(reply.status) \(code.prefix(64))")
                }
            }
        }
        throw refused(problem)
    }

    private func refused(_ reason: String) -> BlobStoreError {
        outage.begin(reason)
        return .unavailable
    }

    /// Whether the whole body has come.
    private static func isWhole(_ reply: HTTPReply, _ method: Request.Method) -> Bool {
        guard method != .head, let length = reply["content-length"] else { return true }
        return Int(length) == reply.body.count
    }

    private func signed(_ request: Request, _ digest: String) throws(BlobStoreError) -> HTTPRequest {
        let key = request.name.map { "/\(configuration.bucket.prefix)\($0)" } ?? ""
        let path = "/\(configuration.bucket.name)\(key)"
        let query = request.query.sorted { $0.name < $1.name }
            .map { "\(S3Signature.encoded($0.name))=\(S3Signature.encoded($0.value))" }.joined(separator: "&")
        let unsigned = S3Signature.Request(
            method: request.method.rawValue, host: configuration.endpoint.authority, path: path, query: query,
            fields: request.fields, payloadDigest: digest)
        let now = Timestamp(milliseconds: SystemClock.timeOfDay.milliseconds)
        let fields: [(name: String, value: String)]
        do {
            fields = try signature.sign(unsigned, at: now)
        } catch {
            throw .failed(reason: "the signature: \(error)")
        }
        let url = "\(configuration.endpoint.url)\(path)\(query.isEmpty ? "" : "?\(query)")"
        let headers = fields.map { HTTPRequest.Header(name: $0.name, value: $0.value) }
        return switch request.method {
        case .get: .get(url: url, headers: headers)
        case .head: .head(url: url, headers: headers)
        case .post: .post(url: url, headers: headers, body: request.body)
        case .put: .put(url: url, headers: headers, body: request.body)
        case .delete: .delete(url: url, headers: headers)
        }
    }
}

/// Says once that the service does not answer, or refuses, and once that it does again.
final class S3Outage: Sendable {
    private let logger: Logger
    private let isUnderWay = NIOLockedValueBox(false)

    init(_ logger: Logger) { self.logger = logger }

    func begin(_ reason: String) {
        guard change(to: true) else { return }
        logger.error("the S3 service takes and gives no blobs", metadata: ["reason": "\(reason)"])
    }

    func end() {
        guard change(to: false) else { return }
        logger.notice("the S3 service takes and gives blobs again")
    }

    /// - Returns: whether it was different.
    private func change(to value: Bool) -> Bool {
        isUnderWay.withLockedValue { isUnderWay in
            defer { isUnderWay = value }
            return isUnderWay != value
        }
    }
}
