import ParleyClient
import ParleyCrypto
import PrivateFiles
import TestSupport
import Testing

@Suite("Attachments from file to file")
struct AttachmentFileTests {
    static let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    @Test("a file that was sealed opens again, and progress reaches its size both ways")
    func roundTrip() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.content, to: "photo")
        var (sealing, opening) = ([Int](), [Int]())
        let seal = try AttachmentFile.seal(
            "\(directory.path)/photo", to: "\(directory.path)/sealed", progress: { sealing.append($0) })
        #expect(try directory.bytes("sealed").count == seal.sealedSize)
        try AttachmentFile.open(
            seal, "\(directory.path)/sealed", to: "\(directory.path)/opened", progress: { opening.append($0) })
        #expect(try directory.bytes("opened") == Self.content)
        #expect(sealing == opening && sealing.last == Self.content.count && sealing == sealing.sorted())
        #expect(try directory.names == ["photo", "sealed", "opened"])
    }

    @Test("a file that is not what its sender sealed leaves no file, and what was there before it untouched")
    func refused() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.content, to: "photo")
        let seal = try AttachmentFile.seal("\(directory.path)/photo", to: "\(directory.path)/sealed")
        var bytes = try directory.bytes("sealed")
        bytes[bytes.count - 1] ^= 1
        try directory.write(bytes, to: "changed")
        try directory.write([1, 2, 3], to: "kept")
        for name in ["opened", "kept"] {
            #expect(throws: AttachmentError.notAuthentic) {
                try AttachmentFile.open(seal, "\(directory.path)/changed", to: "\(directory.path)/\(name)")
            }
        }
        #expect(try directory.bytes("kept") == [1, 2, 3])
        #expect(try directory.names == ["photo", "sealed", "changed", "kept"])
        #expect { try AttachmentFile.open(seal, "\(directory.path)/nothing", to: "\(directory.path)/opened") } throws: {
            ($0 as? FileError)?.isMissing == true
        }
    }

    @Test("the value in a message holds the seal, and says when it cannot be one")
    func value() throws {
        let seal = try AttachmentSeal(
            key: [UInt8](repeating: 1, count: 32), digest: [UInt8](repeating: 2, count: 32), size: 3)
        var attachment = Attachment(seal: seal, name: "photo.jpg", mimeType: "image/jpeg")
        #expect(try attachment.seal == seal)
        attachment.size = -1
        #expect(throws: AttachmentError.malformedSeal) { try attachment.seal }
    }

    @Test("a task that is cancelled seals and opens nothing")
    func cancelled() async throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.content, to: "photo")
        let seal = try AttachmentFile.seal("\(directory.path)/photo", to: "\(directory.path)/sealed")
        let work = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            #expect(throws: CancellationError.self) {
                try AttachmentFile.seal("\(directory.path)/photo", to: "\(directory.path)/again")
            }
            #expect(throws: CancellationError.self) {
                try AttachmentFile.open(seal, "\(directory.path)/sealed", to: "\(directory.path)/opened")
            }
        }
        await work.value
        #expect(try directory.names == ["photo", "sealed"])
    }
}
