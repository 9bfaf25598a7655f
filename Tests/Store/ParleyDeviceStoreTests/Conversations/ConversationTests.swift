import ParleyProtocol
import TestNames
import Testing

@testable import ParleyDeviceStore

@Suite("Stored conversations")
struct ConversationTests {
    private let store: DeviceStore

    init() throws { store = try DeviceStore.inMemory(device: phone) }

    @Test("what is saved is what is read")
    func savedIsRead() throws {
        let states = [
            ConversationState(id: conversation(1)),
            ConversationState(
                id: conversation(2), kept: KeptStretch(epoch: "k3Jx9w", seqs: 3...8), deliveredSeq: 8,
                object: Array("{}".utf8)),
        ]
        try store.write { transaction in for state in states { try transaction.save(state) } }
        #expect(try store.read { try $0.conversations() } == states)
        #expect(try store.read { try $0.conversation(conversation(2)) } == states[1])
        #expect(try store.read { try $0.conversation(conversation(3)) } == nil)
    }

    @Test("what is saved again replaces what was saved before")
    func savingAgainReplaces() throws {
        let states = [
            ConversationState(
                id: conversation(1), kept: KeptStretch(epoch: "old", seqs: 1...2), deliveredSeq: 2, object: [1]),
            ConversationState(id: conversation(1), kept: KeptStretch(epoch: "new", seqs: 4...9)),
        ]
        for state in states {
            try store.write { try $0.save(state) }
            #expect(try store.read { try $0.conversations() } == [state])
        }
    }
}
