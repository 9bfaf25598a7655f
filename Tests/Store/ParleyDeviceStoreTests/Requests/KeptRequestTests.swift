import TestSupport
import ParleyProtocol
import Testing

@testable import ParleyDeviceStore

@Suite("Requests that wait for the gateway")
struct KeptRequestTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func id(_ number: UInt64) -> UUIDValue { UUIDValue(high: 5, low: number) }

    private func keep(_ number: UInt64, _ content: [UInt8], in store: DeviceStore) throws {
        try store.write { try $0.keepRequest(id(number), content) }
    }

    /// Takes the first that waits, as if the gateway had answered it.
    private func take(_ store: DeviceStore) throws -> [UInt8]? {
        guard let request = try store.read({ try $0.request(after: .min) }) else { return nil }
        try store.write { try $0.removeRequest(request) }
        return request.content
    }

    @Test("they wait in their order, on disk, and are gone when they were answered")
    func order() throws {
        let store = try directory.open()
        for number in 1...3 as ClosedRange<UInt64> { try keep(number, [UInt8(number)], in: store) }
        #expect(try take(store) == [1])
        try store.close()
        let again = try directory.open()
        #expect(try again.read { try $0.requestCount() } == 2)
        try keep(4, [4], in: again)
        #expect(try [take(again), take(again), take(again), take(again)] == [[2], [3], [4], nil])
    }

    @Test("of one id the latter is kept, in the place of the first, and an answer to the first does not take it away")
    func replaced() throws {
        let store = try directory.open()
        try keep(1, [1], in: store)
        try keep(2, [2], in: store)
        let first = try #require(try store.read { try $0.request(after: .min) })
        try keep(1, [7], in: store)
        try store.write { try $0.removeRequest(first) }
        #expect(try [take(store), take(store), take(store)] == [[7], [2], nil])
    }

    @Test("one is put behind all others with what it says, unless another has come in its place")
    func behind() throws {
        let store = try directory.open()
        for number in 1...3 as ClosedRange<UInt64> { try keep(number, [UInt8(number)], in: store) }
        let first = try #require(try store.read { try $0.request(after: .min) })
        try store.write { try $0.putBehind(first) }
        // It is not there any more, and so not again.
        try store.write { try $0.putBehind(first) }
        let second = try #require(try store.read { try $0.request(after: .min) })
        try keep(2, [7], in: store)
        try store.write { try $0.putBehind(second) }
        #expect(try [take(store), take(store), take(store), take(store)] == [[7], [3], [1], nil])
    }

    @Test("what was changed in the file is nothing any more, and what is in it says nothing")
    func sealed() throws {
        let store = try directory.open()
        let content = Array("{\"steps\":4711}".utf8)
        try keep(1, content, in: store)
        try keep(2, [2], in: store)
        try store.execute(
            "UPDATE requests SET sealed = (SELECT sealed FROM requests WHERE position = 2) WHERE position = 1")
        #expect(try store.read { try $0.request(after: .min) }?.content == nil)
        try store.close()
        let bytes = try directory.bytes()
        #expect(bytes.firstRange(of: content) == nil)
    }
}
