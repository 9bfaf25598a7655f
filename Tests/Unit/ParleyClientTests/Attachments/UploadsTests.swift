import ParleyCrypto
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyClient

@Suite("Waiting uploads and running fetches")
struct UploadsTests {
    private let uploads = Uploads()
    private let now = ContinuousClock.now

    private func insert(_ position: Int, isPaused: Bool = false) throws -> MessageID {
        let seal = try AttachmentSeal(
            key: [UInt8](repeating: 1, count: 32), digest: [UInt8](repeating: UInt8(position), count: 32), size: 100)
        let job = UploadJob(message: .random(), conversation: .random(), blob: .random(), seal: seal)
        uploads.insert(Uploads.Entry(job, position: position, source: nil, isPaused: isPaused))
        return job.message
    }

    private func next(after time: Duration = .zero) -> MessageID? {
        if case .upload(let id) = uploads.next(now: now + time) { id } else { nil }
    }

    @Test("they are taken in order of writing, each by one")
    func order() throws {
        let (second, first) = (try insert(2), try insert(1))
        #expect(next() == first)
        #expect(next() == second)
        #expect(next() == nil)
        uploads.release(first)
        #expect(next() == first)
    }

    @Test("a paused one waits for its owner, over everything else")
    func paused() throws {
        let id = try insert(1, isPaused: true)
        #expect(next() == nil)
        uploads.markConnected()
        #expect(next() == nil)
        #expect(uploads[id]?.shown.state == .paused)
        #expect(uploads.setPaused(id, false))
        #expect(next() == id)
        #expect(!uploads.setPaused(.random(), true))
    }

    @Test("one that cannot go on waits, longer each time, and not after a new connection")
    func postponed() throws {
        let id = try insert(1)
        _ = next()
        uploads.postpone(id, .unreachable("away"), pause: .seconds(5), now: now)
        uploads.release(id)
        #expect(uploads[id]?.shown.state == .waiting(.unreachable("away")))
        guard case .wait(let time) = uploads.next(now: now) else { throw NeverCameError("that step") }
        #expect(time == now + .seconds(5))
        #expect(next(after: .seconds(5)) == id)
        uploads.postpone(id, .unreachable("away"), pause: .seconds(5), now: now)
        uploads.release(id)
        uploads.markConnected()
        #expect(next() == id)
        #expect(uploads[id]?.shown.state == .running)
    }

    @Test("one that expired at the gateway is uploaded anew once, and no more")
    func renewed() throws {
        let id = try insert(1)
        #expect(uploads.complete(id) != nil)
        #expect(next() == nil)
        // Its message is not sent yet.
        #expect(uploads.unsent.map(\.state) == [.complete])
        #expect(uploads.renew(id))
        #expect(next() == id)
        #expect(uploads.complete(id) != nil)
        #expect(!uploads.renew(id))
        #expect(uploads.remove(id)?.message == id)
        #expect(uploads.remove(id) == nil)
    }

    @Test("one that goes on as another blob begins anew, in its place")
    func replaced() throws {
        let (id, later) = (try insert(1), try insert(2))
        #expect(next() == id)
        var transfer = UploadTransfer()
        transfer.forgetOffset()
        uploads.advance(id, to: transfer)
        let entry = try #require(uploads[id])
        let job = UploadJob(message: id, conversation: entry.job.conversation, blob: .random(), seal: entry.job.seal)
        uploads.replaceJob(job)
        #expect(uploads[id]?.job == job && uploads[id]?.expired == 1 && uploads[id]?.position == 1)
        #expect(next() == later)
        uploads.release(id)
        #expect(next() == id)
        #expect(uploads.remove(id) == job)
    }

    @Test("those who ask for one file share a fetch, and the last who leaves ends it")
    func shared() {
        let fetches = Fetches()
        let key = Fetches.Key(blob: .random(), digest: [1])
        let (first, isFirst) = fetches.join(key)
        let (second, isSecondFirst) = fetches.join(key)
        #expect(isFirst && !isSecondFirst && first == second)
        fetches.advance(first, to: 7)
        fetches.leave(first)
        #expect(fetches[second]?.done == 7)
        fetches.leave(second)
        #expect(fetches[second] == nil)
    }

    @Test("a fetch that was given up says nothing of the one that has taken its place")
    func givenUp() {
        let fetches = Fetches()
        let key = Fetches.Key(blob: .random(), digest: [1])
        let former = fetches.join(key).run
        fetches.leave(former)
        let (present, isFirst) = fetches.join(key)
        #expect(isFirst)
        fetches.advance(former, to: 9)
        fetches.end(former, .failure(.unreachable("cancelled")))
        fetches.leave(former)
        #expect(fetches[present]?.done == 0)
        #expect(fetches[present]?.end == nil)
    }
}
