import ParleyCrypto
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

@testable import ParleyClient

/// A web door in this process's memory, which misbehaves as a test says.
final class MemoryDoor: DoorConnection {
    /// What a door answers in place of its own answer; `nil` for that.
    typealias Fault = @Sendable (_ request: DoorRequest, _ number: Int) -> Result<DoorResponse, FileTransferError>?

    fileprivate struct State {
        var length: Int?
        var stored: [UInt8] = []
        var requests: [DoorRequest] = []
        var fault: Fault = { _, _ in nil }
    }

    private let state: Mutex<State>

    /// - Parameter stored: the one blob that it has.
    init(_ stored: [UInt8] = []) { state = Mutex(State(stored: stored)) }

    var stored: [UInt8] { state.withLock { $0.stored } }
    var requests: [DoorRequest] { state.withLock { $0.requests } }
    func misbehave(_ fault: @escaping Fault) { state.withLock { $0.fault = fault } }

    func run() async {}

    func send(_ request: DoorRequest, timeout: Duration) async throws(FileTransferError) -> DoorResponse {
        let (fault, number) = state.withLock { state in
            state.requests.append(request)
            return (state.fault, state.requests.count)
        }
        if let fault = fault(request, number) { return try fault.get() }
        return state.withLock { state in
            switch request.method {
            case .post:
                state.length = request["Upload-Length"].flatMap { Int($0) }
                return DoorResponse(status: 201)
            case .head: return DoorResponse(status: 200, ["upload-offset": "\(state.stored.count)"])
            case .patch:
                guard request["Upload-Offset"] == "\(state.stored.count)" else { return DoorResponse(status: 409) }
                state.stored += request.body
                return DoorResponse(status: 204, ["upload-offset": "\(state.stored.count)"])
            case .get: return state.answer(request)
            }
        }
    }

    /// The requests for one client of this door.
    func asked() throws -> BlobRequests {
        let address = try #require(WebDoorAddress("http://127.0.0.1:1"))
        return BlobRequests(connection: self, address: address) {
            DeviceCredentials(username: "alice", clientID: "alice:phone", password: "token", expiresAt: .latest)
        }
    }
}

extension MemoryDoor.State {
    fileprivate func answer(_ request: DoorRequest) -> DoorResponse {
        let ends = (request["Range"] ?? "").dropFirst(6).split(separator: "-").compactMap { Int($0) }
        guard ends.count == 2, ends[0] < stored.count else { return DoorResponse(status: 416) }
        let last = min(ends[1], stored.count - 1)
        return DoorResponse(
            status: 206, ["content-range": "bytes \(ends[0])-\(last)/\(stored.count)"], Array(stored[ends[0]...last]))
    }
}

extension DoorRequest {
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}

extension DoorResponse {
    init(status: Int, _ fields: [String: String] = [:], _ body: [UInt8] = []) {
        self.init(status: status, fields: fields, body: body)
    }

    /// A refusal of the protocol's.
    static func refusal(_ status: Int, _ code: ErrorCode, retryAfter: Int? = nil) -> DoorResponse {
        let pause = retryAfter.map { #","retry_after_ms":\#($0)"# } ?? ""
        let body = #"{"request_id":null,"ok":false,"error":{"code":"\#(code.rawValue)","message":"no"\#(pause)}}"#
        return DoorResponse(status: status, [:], Array(body.utf8))
    }
}

/// A sealed file on the disk of alice's phone, before it is sent or after it has come.
struct FileSample {
    let directory: TemporaryDirectory
    let files: SealedFiles
    let content: [UInt8]
    let job: UploadJob
    let sealed: [UInt8]

    /// - Parameter size: before sealing. The usual one takes several requests.
    init(size: Int = 700_000, limit: Int = 1 << 30) throws {
        let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        directory = try TemporaryDirectory()
        files = SealedFiles(directory: directory.directory(of: device("alice/phone")), limit: limit)
        try directory.write(content, to: "photo")
        try files.make()
        let blob = BlobID.random()
        let seal = try AttachmentFile.seal("\(directory.path)/photo", to: files.outgoing(blob))
        job = UploadJob(message: .random(), conversation: .random(), blob: blob, seal: seal)
        self.content = content
        sealed = try directory.bytes(at: files.outgoing(blob))
    }

    var seal: AttachmentSeal { job.seal }
    var names: [String] { get throws { try files.directory.entries(in: "files") } }
}

extension TemporaryDirectory {
    /// The bytes of a file by its whole path, which is in this directory.
    func bytes(at path: String) throws -> [UInt8] { try bytes(String(path.dropFirst(self.path.count + 1))) }
    func write(_ bytes: [UInt8], at path: String) throws {
        try write(bytes, to: String(path.dropFirst(self.path.count + 1)))
    }
}
