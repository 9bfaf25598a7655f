import ParleyProtocol
import Testing

@testable import ParleyDeviceStore

struct ConversationTests {
    private let store: DeviceStore

    init() throws { store = try DeviceStore.inMemory(device: phone) }

    @Test func `what is saved is what is read`() throws {
        let states = [
            ConversationState(id: conversation(1)),
            ConversationState(
                id: conversation(2), kept: KeptStretch(epoch: "k3Jx9w", seqs: 3...8), deliveredSeq: 8, readSeq: 5,
                object: Array("{}".utf8)),
        ]
        try store.write { transaction in for state in states { try transaction.save(state) } }
        #expect(try store.read { try $0.conversations() } == states)
        #expect(try store.read { try $0.conversation(conversation(2)) } == states[1])
        #expect(try store.read { try $0.conversation(conversation(3)) } == nil)
    }

    @Test func `the kept stretch moves by itself, and makes a conversation known`() throws {
        let saved = ConversationState(id: conversation(1), deliveredSeq: 2, readSeq: 1, object: [1])
        try store.write { transaction in
            try transaction.save(saved)
            for id in [conversation(1), conversation(2)] {
                try transaction.setKept(KeptStretch(epoch: "new", seqs: 4...9), of: id)
            }
        }
        var expected = saved
        expected.kept = KeptStretch(epoch: "new", seqs: 4...9)
        #expect(try store.read { try $0.conversation(conversation(1)) } == expected)
        #expect(try store.read { try $0.conversation(conversation(2)) }?.kept == expected.kept)
        try store.write { try $0.setKept(nil, of: conversation(1)) }
        #expect(try store.read { try $0.conversation(conversation(1)) }?.kept == nil)
    }

    @Test func `marks only move forward`() throws {
        try store.write { transaction in
            try transaction.save(ConversationState(id: conversation(1), deliveredSeq: 4, readSeq: 2))
            try transaction.advanceMarks(delivered: 3, read: 4, of: conversation(1))
        }
        let state = try store.read { try $0.conversation(conversation(1)) }
        #expect(state?.deliveredSeq == 4 && state?.readSeq == 4)
    }
}
