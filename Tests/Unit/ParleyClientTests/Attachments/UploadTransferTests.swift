import ParleyProtocol
import PrivateFiles
import TestSupport
import Testing

@testable import ParleyClient

@Suite("Uploads, request by request")
struct UploadTransferTests {
    private let sample: FileSample
    private let door = MemoryDoor()

    init() throws { sample = try FileSample() }

    /// Makes requests until the upload goes no further by itself.
    private func run(_ transfer: UploadTransfer = UploadTransfer()) async throws -> UploadTransfer.Step {
        var transfer = transfer
        for _ in 0..<100 {
            let step = await transfer.advanced(sample.job, by: try door.asked(), sample.files)
            guard case .going(let next) = step else { return step }
            transfer = next
        }
        return .going(transfer)
    }

    @Test("a file goes up in pieces, and each request carries the token")
    func whole() async throws {
        let step = try await run()
        #expect(step.isComplete)
        #expect(door.stored == sample.sealed)
        #expect(door.requests.map(\.method) == [.post, .head, .patch, .patch])
        #expect(door.requests.allSatisfy { $0["Authorization"] == "Bearer token" && $0["Tus-Resumable"] == "1.0.0" })
        #expect(door.requests[0]["Upload-Length"] == "\(sample.sealed.count)")
    }

    @Test("after a lost answer the door is asked how much it has")
    func resumed() async throws {
        let first = Array(sample.sealed.prefix(100_000))
        door.misbehave { request, _ in request.method == .patch ? .failure(.unreachable("broken")) : nil }
        #expect(try await run().cause == .unreachable("broken"))
        let another = MemoryDoor(first)
        var transfer = UploadTransfer()
        for _ in 0..<10 {
            guard case .going(let next) = await transfer.advanced(sample.job, by: try another.asked(), sample.files)
            else { break }
            transfer = next
        }
        #expect(another.stored == sample.sealed)
        #expect(another.requests.first { $0.method == .patch }?["Upload-Offset"] == "100000")
    }

    @Test(
        "what passes is tried again, and what does not ends the message",
        arguments: [
            (DoorResponse.refusal(403, .forbidden), false), (.refusal(404, .notFound), false),
            (.refusal(429, .rateLimited, retryAfter: 1500), true), (.refusal(503, .unavailable), true),
            (DoorResponse(status: 507), true), (DoorResponse(status: 401), true), (DoorResponse(status: 302), true),
            (DoorResponse(status: 200, [:], Array("<html>".utf8)), true),
        ])
    func refused(response: DoorResponse, passes: Bool) async throws {
        door.misbehave { _, _ in .success(response) }
        let step = try await run()
        if passes { #expect(step.cause == response.failure) } else { #expect(step.failure != nil) }
    }

    @Test("a blob that the gateway has forgotten is announced under another id, with the same bytes")
    func expired() async throws {
        door.misbehave { request, _ in request.method == .post ? .success(.refusal(409, .conflict)) : nil }
        guard case .expired(.refused(.conflict, _)) = try await run() else { throw NeverCameError("that step") }
        // Another request at the same time is no such thing.
        door.misbehave { request, _ in request.method == .patch ? .success(.refusal(409, .conflict)) : nil }
        #expect(try await run().cause != nil)
    }

    @Test(
        "a door that names an impossible offset is not believed", arguments: ["900000", "0", "-1", "x", "262145", nil])
    func lyingOffset(text: String?) async throws {
        door.misbehave { request, _ in
            request.method == .patch
                ? .success(DoorResponse(status: 204, text.map { ["upload-offset": $0] } ?? [:])) : nil
        }
        #expect(try await run().cause == .notADoor(status: 204))
        door.misbehave { request, _ in
            request.method == .head ? .success(DoorResponse(status: 200, ["upload-offset": "900000"])) : nil
        }
        #expect(try await run().cause == .notADoor(status: 200))
    }

    @Test("the pause that a door asks for is kept")
    func pause() async throws {
        door.misbehave { request, _ in
            request.method == .patch ? .success(.refusal(429, .rateLimited, retryAfter: 1500)) : nil
        }
        guard case .later(_, let pause) = try await run() else { throw NeverCameError("that step") }
        #expect(pause == .milliseconds(1500))
    }

    @Test("bytes that changed on their way are sent again, three times at most; a file that changed is not sent")
    func wrongDigest() async throws {
        door.misbehave { request, _ in request.method == .patch ? .success(DoorResponse(status: 422)) : nil }
        #expect(try await run().failure == .fileLost)
        #expect(door.requests.filter { $0.method == .patch }.count == 4)
        var changed = sample.sealed
        changed[5000] ^= 1
        try sample.directory.write(changed, at: sample.files.outgoing(sample.job.blob))
        #expect(try await run().failure == .fileLost)
        #expect(door.requests.filter { $0.method == .patch }.count == 5)
    }

    @Test("without its sealed file, or with a shorter one, a message fails")
    func lost() async throws {
        let path = sample.files.outgoing(sample.job.blob)
        try sample.directory.write(Array(sample.sealed.prefix(1000)), at: path)
        #expect(try await run().failure == .fileLost)
        try sample.files.removeOutgoing(sample.job.blob)
        #expect(try await run().failure == .fileLost)
    }

    @Test("pieces grow where the way is fast, and shrink where it is slow, within bounds")
    func pieces() {
        var piece = PieceSize()
        for _ in 0..<10 { piece.record(.milliseconds(10)) }
        #expect(piece.count == PieceSize.largest)
        piece.record(.seconds(5))
        #expect(piece.count == PieceSize.largest)
        for _ in 0..<10 { piece.record(.seconds(11)) }
        #expect(piece.count == PieceSize.smallest)
    }
}

extension UploadTransfer.Step {
    fileprivate var isComplete: Bool { if case .complete = self { true } else { false } }
    fileprivate var cause: FileTransferError? { if case .later(let cause, _) = self { cause } else { nil } }
    fileprivate var failure: SendError? { if case .failed(let error) = self { error } else { nil } }
}
