import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyDeviceStore

@Suite("Uploads of queued messages, on the disk")
struct StoredUploadTests {
    private let directory: TemporaryDirectory
    private let store: DeviceStore
    private let first = BlobID.random()
    private let second = BlobID.random()

    init() throws {
        directory = try TemporaryDirectory()
        store = try directory.open()
        let first = first
        try store.write { transaction throws in
            try transaction.enqueue(message(1), in: conversation(1), content: [1])
            try transaction.addUpload(first, of: message(1), source: [7])
        }
    }

    private var uploads: [StoredUpload] { get throws { try store.read { try $0.uploads() } } }

    @Test("one is under way, paused or complete, and gone with its message")
    func states() throws {
        #expect(
            try uploads == [StoredUpload(message: message(1), blob: first, state: .pending, source: [7])])
        for state in [StoredUpload.State.paused, .complete, .pending] {
            try store.write { try $0.setUpload(state, of: message(1)) }
            #expect(try uploads.map(\.state) == [state])
        }
        try store.write { try $0.removeUpload(of: message(1)) }
        #expect(try uploads.isEmpty)
    }

    @Test("as another blob it begins anew, and what was sealed with the name of the first is sealed again")
    func anotherBlob() throws {
        let second = second
        try store.write { transaction throws in
            try transaction.setRequest([9], of: message(1))
            try transaction.setUpload(.complete, of: message(1))
            #expect(try transaction.setContent([2], of: message(1)))
            try transaction.setUploadBlob(second, of: message(1))
            #expect(try !transaction.setContent([3], of: message(2)))
        }
        #expect(try uploads == [StoredUpload(message: message(1), blob: second, state: .pending, source: [7])])
        let queued = try store.read { try $0.queued(message(1)) }
        #expect(queued?.content == [2] && queued?.request == nil)
    }
}
