import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyClient

@Suite("What a device has to send, and what became of it")
struct OutboxTests {
    private let start = ContinuousClock.now
    private let conversation = ConversationID.random()
    private let id = MessageID.random()
    private let tv = device("bob/tv")
    private let alice = UserID(validated: "alice")

    private func draft(_ kind: Draft.Kind? = nil, of target: MessageID = .random(), resending: Resending? = nil)
        -> Draft
    {
        var draft = Draft.sample("a", kind.map { Draft.Change(kind: $0, target: target) })
        draft.resending = resending
        return draft
    }

    private func message(_ id: MessageID, seq: Int = 4) -> SentMessage {
        SentMessage(id: id, epoch: "e", seq: seq, createdAt: Timestamp(milliseconds: 0))
    }

    private func record(_ id: MessageID) -> MessageRecord { .sample(4, id: id, in: conversation) }

    /// An outbox whose only message is under way.
    private func underWay(_ draft: Draft) -> Outbox {
        let outbox = Outbox()
        outbox.insert(id, in: conversation, position: 0, draft)
        let next = outbox.next(now: start)
        #expect(next == .send(id, in: conversation))
        return outbox
    }

    private func handle(_ outbox: Outbox, _ answer: SendAnswer, isHeld: Bool = false) -> Outbox.Verdict {
        var generator = Seeded(seed: 1)
        return outbox.handle(
            answer, of: id, in: conversation, isHeld: { _ in isHeld }, now: start, using: &generator)
    }

    @Test("an accepted message is told once with whom it left out, and its record is waited for")
    func accepted() {
        let outbox = underWay(draft())
        outbox.leaveOut([tv], of: id)
        #expect(outbox.outcome(of: id) == nil && !outbox.isAccepted(id))
        let verdict = handle(outbox, .sent(message(id)))
        #expect(
            verdict
                == .done([
                    .accepted(message(id), in: conversation), .awaitRecord, .emit(.sent(id, in: conversation)),
                    .emit(.leftOut(id, in: conversation, [tv])), .wake(id),
                ]))
        #expect(outbox.isAccepted(id) && !outbox.queue.contains(id))
        #expect(outbox.nextEchoTime == start + Outbox.echoPatience)
        let effects = outbox.recordCommitted(record(id))
        #expect(effects == [.wake(id)])
    }

    @Test("a record that overtakes the answer ends the wait for it, and says that the message was sent")
    func overtaken() {
        let outbox = underWay(draft())
        let effects = outbox.recordCommitted(record(id))
        #expect(effects == [.emit(.sent(id, in: conversation)), .wake(id)])
        #expect(outbox.isAccepted(id) && !outbox.queue.contains(id))
        let verdict = handle(outbox, .sent(message(id)), isHeld: true)
        #expect(verdict == .done([]))
        #expect(outbox.nextEchoTime == nil)
    }

    @Test("no record is waited for that is held already")
    func held() throws {
        let outbox = underWay(draft())
        let verdict = handle(outbox, .sent(message(id)), isHeld: true)
        guard case .done(let effects) = verdict else { throw UnexpectedError(verdict) }
        #expect(!effects.contains(.awaitRecord) && outbox.nextEchoTime == nil)
    }

    @Test(
        "a record that does not come is fetched when its time is over, and given up where it can never come by itself")
    func echoes() {
        func accepted() -> Outbox {
            let outbox = underWay(draft())
            _ = handle(outbox, .sent(message(id, seq: 4)))
            return outbox
        }
        let (outbox, other, there) = (accepted(), accepted(), accepted())
        let behind = ConversationLog<MessageRecord>(epoch: "e", held: 1..<4)
        let early = outbox.expireEchoes(now: start + Outbox.echoPatience - .milliseconds(1)) { _ in behind }
        #expect(early.isEmpty && outbox.nextEchoTime != nil)
        let before = other.expireEchoes(now: start) { _ in ConversationLog(epoch: "e", held: 5..<9) }
        #expect(before == [.discard(id)] && other.nextEchoTime == nil)
        let held = there.expireEchoes(now: start) { _ in ConversationLog(epoch: "e", held: 1..<5) }
        #expect(held.isEmpty && there.nextEchoTime == nil)
        let late = outbox.expireEchoes(now: start + Outbox.echoPatience) { _ in behind }
        #expect(late == [.fetchRecord(message(id, seq: 4), in: conversation)] && outbox.nextEchoTime == nil)
    }

    @Test("when a history begins anew, the messages whose records have not come are named, of that conversation alone")
    func anew() {
        let outbox = underWay(draft())
        _ = handle(outbox, .sent(message(id)))
        #expect(outbox.removeEchoes(of: .random()).isEmpty)
        #expect(outbox.removeEchoes(of: conversation) == [id])
        #expect(outbox.removeEchoes(of: conversation).isEmpty && outbox.nextEchoTime == nil)
    }

    @Test("what cannot be sent is set aside and told, and what it would have changed is shown without it")
    func failed() throws {
        let target = MessageID.random()
        let outbox = underWay(draft(.edit, of: target))
        #expect(outbox.changes.applied(to: MessageChanges(), of: target, by: alice).edit != nil)
        let verdict = handle(outbox, .impossible(.noRecipientKeys))
        #expect(
            verdict
                == .done([
                    .failed(id, .noRecipientKeys), .emit(.failed(id, in: conversation, .noRecipientKeys)),
                    .show(target, in: conversation), .wake(id),
                ]))
        #expect(outbox.changes.applied(to: MessageChanges(), of: target, by: alice).edit == nil)
        let outcome = outbox.outcome(of: id)
        guard case .failure(.failed(.noRecipientKeys))? = outcome else { throw UnexpectedError(outcome) }
        outbox.retry(id, in: conversation, position: 0, draft(.edit, of: target))
        #expect(outbox.outcome(of: id) == nil && outbox.queue.contains(id))
        #expect(outbox.changes.applied(to: MessageChanges(), of: target, by: alice).edit != nil)
    }

    @Test("what the client has written by itself and cannot send is dropped without a word")
    func droppedRequest() {
        let outbox = underWay(draft(.reaction, resending: .request))
        #expect(outbox.changes.resending == [.request: 1])
        let verdict = handle(outbox, .impossible(.noRecipientKeys))
        #expect(verdict == .done([.discard(id)]))
        #expect(outbox.outcome(of: id) == nil && outbox.changes.resending.isEmpty)
    }

    @Test("requests that there was no room for have their turn once, when the last of those that wait is gone")
    func postponed() {
        let outbox = underWay(draft(.reaction, resending: .request))
        let second = MessageID.random()
        outbox.insert(second, in: conversation, position: 1, draft(.reaction, resending: .request))
        outbox.postponeRequest()
        #expect(handle(outbox, .impossible(.damaged)) == .done([.discard(id)]))
        let effects = outbox.recordCommitted(record(second))
        #expect(effects.first == .resumePostponedRequests)
        outbox.insert(id, in: conversation, position: 2, draft(.reaction, resending: .request))
        let later = outbox.recordCommitted(record(id))
        #expect(!later.contains(.resumePostponedRequests))
    }

    @Test("a message that is taken back is not sent, whatever comes of it")
    func discarded() {
        let target = MessageID.random()
        let outbox = underWay(draft(.delete, of: target))
        let effects = outbox.discard(id, in: conversation)
        #expect(effects == [.show(target, in: conversation), .wake(id)])
        #expect(handle(outbox, .refused(Rejection(.internal, ""))) == .done([]))
        let isDiscarded = if case .failure(.discarded)? = outbox.outcome(of: id) { true } else { false }
        #expect(isDiscarded)
    }

    @Test("the same refusal for the same devices is a contradiction, and another one is not")
    func refusals() {
        let outbox = Outbox()
        let (none, other) = (PeerRecipients(), Outbox.recipients(of: tv))
        #expect(outbox.recordRefusal(of: id, in: conversation, for: none) == false)
        #expect(outbox.recordRefusal(of: id, in: conversation, for: other) == false)
        #expect(outbox.recordRefusal(of: id, in: .random(), for: other) == false)
        #expect(outbox.recordRefusal(of: id, in: conversation, for: other))
    }

    @Test("device lists that differ are answered by sealing anew, and a message stays where it is meanwhile")
    func reseal() {
        let outbox = underWay(draft())
        let difference = Rejection.DeviceDifference(missing: [tv], extra: [])
        let verdict = handle(outbox, .refused(Rejection(.staleDevices, "", devices: difference)))
        #expect(verdict == .reseal(difference))
        #expect(outbox.queue.contains(id) && outbox.next(now: start) == .send(id, in: conversation))
    }
}

extension Outbox {
    fileprivate static func recipients(of device: DeviceAddress) -> PeerRecipients {
        var recipients = PeerRecipients()
        recipients.leftOut.append(PeerRecipients.LeftOut(device: device, keyID: nil))
        return recipients
    }
}
