import ParleyCrypto
import ParleyProtocol
import PrivateFiles
import TestSupport
import Testing

@testable import ParleyClient

@Suite("Downloads, request by request")
struct DownloadTests {
    private let sample: FileSample
    private let door: MemoryDoor

    /// The receiver has nothing of it yet.
    init() throws {
        sample = try FileSample()
        door = MemoryDoor(sample.sealed)
        try sample.files.removeOutgoing(sample.job.blob)
    }

    private func run() async throws -> Download.Step {
        var download = try Download(sample.seal, sample.job.blob, in: sample.files)
        for _ in 0..<100 {
            let step = await download.advanced(by: try door.asked(), sample.files)
            guard case .going(let next) = step else { return step }
            download = next
        }
        return .going(download)
    }

    @Test("a file comes in ranges, is checked, and is found from then on")
    func whole() async throws {
        guard case .complete(let path) = try await run() else { throw NeverCameError("that step") }
        #expect(try sample.directory.bytes(at: path) == sample.sealed)
        #expect(try sample.files.find(sample.seal, sample.job.blob) == path)
        #expect(try AttachmentFile.bytes(sample.seal, path) == sample.content)
        // More on a machine that is so busy that pieces get smaller.
        #expect(door.requests.count >= 2)
        #expect(try sample.names.count == 1)
    }

    @Test("what has come before is not asked for again")
    func resumed() async throws {
        let part = Array(sample.sealed.prefix(300_000))
        try sample.directory.write(part, at: sample.files.incoming(sample.seal))
        guard case .complete(let path) = try await run() else { throw NeverCameError("that step") }
        #expect(try sample.directory.bytes(at: path) == sample.sealed)
        #expect(door.requests[0]["Range"]?.hasPrefix("bytes=300000-") == true)
    }

    @Test("a second one of the same file has a file of its own")
    func beside() async throws {
        let first = try Download(sample.seal, sample.job.blob, in: sample.files)
        guard case .complete = try await run() else { throw NeverCameError("that step") }
        withExtendedLifetime(first) {}
        #expect(try sample.files.find(sample.seal, sample.job.blob) != nil)
    }

    @Test("other bytes than the message names are refused, and not kept", arguments: [0, 5000, 699_000])
    func wrongBytes(position: Int) async throws {
        var changed = sample.sealed
        changed[position] ^= 1
        let door = MemoryDoor(changed)
        self.door.misbehave { request, _ in
            let ends = (request["Range"] ?? "").dropFirst(6).split(separator: "-").compactMap { Int($0) }
            let bytes = Array(door.stored[ends[0]...ends[1]])
            return .success(
                DoorResponse(
                    status: 206, ["content-range": "bytes \(ends[0])-\(ends[1])/\(door.stored.count)"], bytes))
        }
        guard case .failed(.altered) = try await run() else { throw NeverCameError("that step") }
        #expect(try sample.names.isEmpty)
    }

    /// A lie about the first range, and what it comes to.
    struct Lie: Sendable {
        let response: DoorResponse
        let error: FileTransferError

        init(_ status: Int, _ range: String?, _ count: Int, _ error: FileTransferError) {
            response = DoorResponse(
                status: status, range.map { ["content-range": $0] } ?? [:], [UInt8](repeating: 7, count: count))
            self.error = error
        }
    }

    @Test(
        "a door that lies about lengths is refused after its first answer",
        arguments: [
            Lie(206, "bytes 0-99/100", 100, .altered(.wrongSize)),
            Lie(206, "bytes 0-262143/800000", 262_144, .altered(.wrongSize)),
            Lie(206, nil, 100, .notADoor(status: 206)), Lie(206, "bytes 5-1/700199", 100, .notADoor(status: 206)),
            Lie(206, "bytes 1-99/700211", 99, .notADoor(status: 206)),
            Lie(206, "bytes 0-600000/700211", 100, .notADoor(status: 206)),
            Lie(206, "bytes 0-999999999999999999999/700211", 100, .notADoor(status: 206)),
            Lie(200, nil, DoorRequest.longestResponse, .altered(.wrongSize)), Lie(200, nil, 10, .notADoor(status: 200)),
            Lie(416, nil, 0, .altered(.wrongSize)), Lie(404, nil, 0, .gone), Lie(403, nil, 0, .refused(.forbidden, "")),
        ])
    func lies(lie: Lie) async throws {
        door.misbehave { _, _ in .success(lie.response) }
        guard case .failed(let error) = try await run() else { throw NeverCameError("that step") }
        if case .refused(.forbidden, _) = lie.error {
            #expect(error.code == "forbidden")
        } else {
            #expect(error == lie.error)
        }
        #expect(door.requests.count == 1)
    }

    @Test("a body longer than its range is refused")
    func longBody() async throws {
        let total = sample.sealed.count
        door.misbehave { _, _ in
            .success(
                DoorResponse(
                    status: 206, ["content-range": "bytes 0-262143/\(total)"], [UInt8](repeating: 7, count: 262_145)))
        }
        guard case .failed(.notADoor(206)) = try await run() else { throw NeverCameError("that step") }
    }

    @Test("a body that broke off is taken as far as it came, and one of nothing is asked for later")
    func brokenOff() async throws {
        let (total, sealed) = (sample.sealed.count, sample.sealed)
        door.misbehave { _, number in
            number > 1
                ? nil
                : .success(
                    DoorResponse(
                        status: 206, ["content-range": "bytes 0-262143/\(total)"], Array(sealed.prefix(1000))))
        }
        guard case .complete = try await run() else { throw NeverCameError("that step") }
        #expect(door.requests[1]["Range"]?.hasPrefix("bytes=1000-") == true)
    }

    @Test("an empty answer is no progress")
    func nothing() async throws {
        let total = sample.sealed.count
        door.misbehave { _, _ in .success(DoorResponse(status: 206, ["content-range": "bytes 0-262143/\(total)"])) }
        guard case .later(.unreachable, _) = try await run() else { throw NeverCameError("that step") }
    }
}
