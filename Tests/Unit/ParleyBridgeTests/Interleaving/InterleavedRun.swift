import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// What ought to be, beside what is: carries out a history on a gateway and says where the two part.
final class InterleavedRun {
    /// What is wrong, in words.
    struct ViolationError: Error {
        let what: String
    }

    /// What a member is to have, from the receipts that were accepted alone.
    private struct Standing: Hashable {
        var own: Watermarks
        var devices: [DeviceID: Watermarks] = [:]
        var isMarked = false
        /// They see what comes after this place.
        var visibleFrom = 0
    }

    private let gateway = Result { try InterleavedGateway() }
    private let fault: PlantedFault?
    private var clock: Int64 = 1
    private var serial: UInt64 = 0
    private var waiting: [IncomingCommand] = []
    private var asked: [IncomingCommand] = []
    /// What messages there are, in the order in which they came, and where.
    private var messages: [(id: MessageID, conversation: ConversationID, seq: Int)] = []
    private var standings: [ConversationID: [UserID: Standing]] = [:]
    private var away: [SyncingDevice] = InterleavedGateway.devices.map { SyncingDevice($0.user) }
    /// For the planted fault that counts up.
    private var counts: [ConversationID: [UserID: Int]] = [:]
    private var states: [ConversationID: StoredState] = [:]

    init(fault: PlantedFault? = nil) { self.fault = fault }

    /// - Throws: `ViolationError`, or what went wrong with the test itself.
    func run(_ steps: [Step]) throws {
        let gateway = try gateway.get()
        for id in gateway.conversations {
            let users = id == gateway.group ? InterleavedGateway.users : ["alice", "bob"]
            standings[id] = Dictionary(uniqueKeysWithValues: users.map { ($0, Standing(own: Watermarks())) })
        }
        for step in steps { try take(step, gateway) }
        try commit(gateway, order: 0)
        for index in away.indices { try catchUp(index, limit: 200, gateway) }
    }

    private func take(_ step: Step, _ gateway: InterleavedGateway) throws {
        func address(_ device: Int) -> DeviceAddress { InterleavedGateway.devices[device % 10] }
        func ask(_ request: any Command, _ device: Int) throws {
            let request = try incoming(request, from: address(device))
            waiting.append(request)
            asked.append(request)
        }
        func nextID() -> MessageID {
            serial += 1
            return MessageID(UUIDValue(high: 0x7000, low: serial))
        }
        func message(_ number: Int) -> (id: MessageID, conversation: ConversationID, seq: Int)? {
            messages.isEmpty ? nil : messages[number % messages.count]
        }
        let sealed = SealedContent(
            suite: .naclBox, content: [UInt8](repeating: 5, count: 32), nonce: [UInt8](repeating: 9, count: 24),
            recipientKeys: nil)
        switch step {
        case .send(let device, let conversation):
            try ask(
                SendMessage(
                    id: nextID(), conversation: gateway.conversations[conversation % 2], type: .text,
                    suite: .naclBox, content: sealed.content, nonce: sealed.nonce), device)
        case .change(let kind, let device, let number):
            guard let message = message(number) else { return }
            try ask(
                ChangeMessage(
                    id: nextID(), conversation: message.conversation, message: message.id,
                    change: kind == .delete
                        ? .delete : kind == .edit ? .edit(sealed) : .react(sealed)
                ).request, device)
        case .receipt(let kind, let device, let number):
            guard let message = message(number) else { return }
            try ask(
                MarkReceipt(
                    kind: kind, conversation: message.conversation,
                    message: message.id
                ).request, device)
        case .strayReceipt(let device, let number):
            guard let message = message(number) else { return }
            let other = message.conversation == gateway.group ? gateway.direct : gateway.group
            try ask(
                MarkReceipt(
                    kind: .read, conversation: number % 2 == 0 ? other : message.conversation,
                    message: number % 2 == 0 ? message.id : MessageID(UUIDValue(high: 0x6000, low: serial))
                ).request,
                device)
        // Only one that is not the last admin's own, so that there is always somebody to bring the others back.
        case .leave(let device) where address(device).user != "alice":
            try ask(LeaveConversation(conversation: gateway.group), device)
        case .leave: break
        case .add(let device, let user):
            let users = InterleavedGateway.users
            // Nobody is put back who has left. This stands for an invitation that they have accepted.
            try gateway.execute(#"DELETE FROM departures WHERE "user" = '\#(users[user % users.count])'"#)
            try ask(AddMembers(conversation: gateway.group, users: [users[user % users.count]]), device)
        case .prefer(let device, let conversation, let choice):
            try ask(
                UpdateConversation(
                    conversation: gateway.conversations[conversation % 2],
                    isArchived: choice & 1 == 0 ? nil : choice & 2 == 0,
                    isUnread: choice & 4 == 0 ? nil : choice & 8 == 0), device)
        case .sendsReceipts(let device, let isOn):
            try ask(ProfileChange(sendsReadReceipts: isOn), device)
        case .block(let device, let isOn):
            let other: UserID = address(device).user == "alice" ? "bob" : "alice"
            guard address(device).user != "carol" else { return }
            if isOn { try ask(Block(user: other), device) } else { try ask(Unblock(user: other), device) }
        case .again(let number):
            guard !asked.isEmpty else { return }
            waiting.append(asked[number % asked.count])
        case .commit(let order): try commit(gateway, order: order)
        case .crash(let losesLast): try crash(gateway, losesLast: losesLast)
        case .sync(let device, let limit): try catchUp(device % 10, limit: limit, gateway)
        }
    }

    // MARK: Transactions

    private func commit(_ gateway: InterleavedGateway, order: UInt64) throws {
        guard !waiting.isEmpty else { return }
        var generator = Seeded(seed: order)
        let requests = order == 0 ? waiting : waiting.shuffled(using: &generator)
        waiting = []
        clock += 10
        let (replies, uncounted) = try gateway.carryOut(requests, now: at(clock))
        try #require(replies.count == requests.count)
        for (request, reply) in zip(requests, replies) { try note(request, reply, gateway) }
        try checkPublishedCounts(uncounted, gateway)
        try damage(gateway, requests)
        try check(gateway)
    }

    /// The process ends. What it was doing is lost with it, or was on disk already; either way the devices, who have no
    /// reply, ask again.
    private func crash(_ gateway: InterleavedGateway, losesLast: Bool) throws {
        let lost = waiting
        if losesLast {
            let remains = try gateway.remains()
            // PostgreSQL rolls back what was not committed; a file is as it was before.
            if remains != nil { _ = try gateway.carryOut(lost, now: at(clock + 5)) }
            try gateway.restart(with: remains)
        } else {
            try commit(gateway, order: 0)
            try gateway.restart(with: try gateway.remains())
        }
        waiting = lost
        try check(gateway)
    }

    /// What an accepted or refused request is to have done.
    private func note(_ request: IncomingCommand, _ reply: Published, _ gateway: InterleavedGateway) throws {
        let (user, device) = (request.sender.user, request.sender.device)
        let isOK = reply.isOK == true
        switch request.request {
        case let message as SendMessage where isOK:
            let seq = try #require(reply.seq)
            if !messages.contains(where: { $0.id == message.id }) {
                messages.append((message.id, message.conversation, seq))
                for other in InterleavedGateway.users where other != user {
                    counts[message.conversation, default: [:]][other, default: 0] += 1
                }
            }
        case let request as any ReceiptRequest:
            let receipt = request.mark
            guard
                let seq = messages.first(where: { $0.id == receipt.message && $0.conversation == receipt.conversation }
                )?
                .seq, var standing = standings[receipt.conversation]?[user]
            else { return try expect(!isOK, "a receipt for what is not there was accepted") }
            let isShown = try gateway.store.read { snapshot throws in
                try StoredState(receipt.conversation, snapshot).records.first { $0.seq == seq }?.isShown(to: user)
            }
            guard seq > standing.visibleFrom, isShown == true else {
                return try expect(!isOK, "a receipt for what they may not see was accepted")
            }
            try expect(isOK, "a receipt was refused: \(reply.code ?? "")")
            var own = standing.devices[device] ?? Watermarks()
            own.delivered = max(own.delivered, seq)
            standing.own.delivered = max(standing.own.delivered, seq)
            if receipt.kind == .read {
                if seq > standing.own.read {
                    standing.isMarked = false
                    counts[receipt.conversation]?[user] = nil
                }
                own.read = max(own.read, seq)
                standing.own.read = max(standing.own.read, seq)
            }
            standing.devices[device] = own
            standings[receipt.conversation]?[user] = standing
            try expect(
                reply.seq == (receipt.kind == .read ? standing.own.read : standing.own.delivered),
                "a receipt was answered with another watermark than stands")
        case let leave as LeaveConversation where isOK: standings[leave.conversation]?[user] = nil
        case let add as AddMembers where isOK:
            for user in add.users where standings[add.conversation]?[user] == nil {
                let joined = try #require(reply.data["last_seq"] as? Int) - 1
                standings[add.conversation]?[user] = Standing(
                    own: Watermarks(delivered: joined, read: joined), visibleFrom: joined)
            }
        case let update as UpdateConversation where isOK:
            if let isUnread = update.isUnread { standings[update.conversation]?[user]?.isMarked = isUnread }
        case is SendMessage, is LeaveConversation, is AddMembers, is UpdateConversation, is any MessageChange,
            is ProfileChange, is Block, is Unblock:
            break
        default: try expect(false, "a request that no step makes")
        }
    }

    // MARK: What must hold

    /// What the publisher counts, after the transaction, is what was unread as far as the log had come in it.
    private func checkPublishedCounts(_ outgoing: Outgoing, _ gateway: InterleavedGateway) throws {
        let pending = outgoing.items.map(\.unread)
        guard pending.contains(where: { $0 != nil }) else { return }
        var counted = outgoing
        let states = try gateway.store.read { snapshot throws in
            counted.fillUnreadCounts(try snapshot.unread.counts(counted.unreadScopes))
            return try gateway.conversations.map { ($0, try StoredState($0, snapshot)) }
        }
        for (unread, message) in zip(pending, try counted.published) {
            guard case .conversation(let span) = unread?.scope else { continue }
            let id = message.data[message.event == nil ? "id" : "conversation_id"] as? String
            let (conversation, state) = try #require(states.first { "\($0.0)" == id })
            let expected = state.messages(for: span.user, after: span.after, through: span.through)
            try expect(message.data["unread_count"] as? Int == expected, "a published count is another")
            let read = try #require(message.data[message.event == nil ? "last_read_seq" : "seq"] as? Int)
            try expect(span.after >= read, "a published count begins before what was read")
            // Who went or came in this very transaction has begun elsewhere.
            guard let joined = self.states[conversation]?.members[span.user]?.joined,
                state.members[span.user]?.joined == joined
            else { continue }
            try expect(span.after == max(read, joined), "a published count begins elsewhere")
        }
    }

    private func check(_ gateway: InterleavedGateway) throws {
        for id in gateway.conversations {
            let (state, unread) = try gateway.store.read { snapshot throws in
                let state = try StoredState(id, snapshot)
                let key = try #require(try snapshot.conversations.conversation(id)).key
                return (state, try state.members.keys.map { ($0, try snapshot.unread.count(of: $0, in: key)) })
            }
            try expect(state.records.map(\.seq) == Array(0..<state.records.count).map { $0 + 1 }, "the log has a hole")
            let expected = standings[id] ?? [:]
            try expect(Set(state.members.keys) == Set(expected.keys), "the members are others")
            for (user, member) in state.members {
                try check(member, of: user, in: state, before: states[id], expected[user])
            }
            for (user, count) in unread {
                let joined = state.members[user]?.joined ?? 0
                let read = expected[user]?.own.read ?? 0
                let count =
                    switch fault {
                    case .countsUp: counts[id]?[user] ?? 0
                    case .countsDeleted: state.messages(for: user, after: max(joined, read), deletedToo: true)
                    case .goesBackwards, .forgetsOtherDevices, .skipsARecord, nil: count
                    }
                try expect(count >= 0, "fewer than none are unread")
                try expect(count <= state.messages(for: user, after: joined), "more are unread than there are")
                try expect(
                    count == state.messages(for: user, after: max(joined, read)), "\(user) has \(count) unread")
            }
            states[id] = state
        }
    }

    private func check(
        _ member: StoredState.Member, of user: UserID, in state: StoredState, before: StoredState?,
        _ expected: Standing?
    ) throws {
        let (own, told) = (member.own, member.told)
        let devices = state.devices[user] ?? [:]
        for marks in [own, told] + devices.values {
            try expect(marks.read <= marks.delivered, "read is beyond delivered")
            try expect(marks.delivered <= state.lastSeq, "delivered is beyond the end")
        }
        try expect(told.delivered <= own.delivered && told.read <= own.read, "more was told than is")
        let furthest = devices.values.reduce(into: Watermarks(delivered: member.joined, read: member.joined)) {
            $0.delivered = max($0.delivered, $1.delivered)
            $0.read = max($0.read, $1.read)
        }
        try expect(own == furthest, "\(user)'s watermarks are not the furthest of their devices'")
        try expect(own == expected?.own, "\(user) stands at \(own), not at \(expected?.own as Any)")
        try expect(devices == expected?.devices, "\(user)'s devices stand elsewhere")
        try expect(member.isMarked == expected?.isMarked, "\(user)'s mark of unread is another")
        guard let last = before?.members[user], last.joined == member.joined else { return }
        try expect(
            own.delivered >= last.own.delivered && own.read >= last.own.read && told.delivered >= last.told.delivered
                && told.read >= last.told.read, "a watermark went back")
    }

    /// A device that was away, at whatever cursors, has everything afterwards, and nothing that it may not see.
    private func catchUp(_ index: Int, limit: Int, _ gateway: InterleavedGateway) throws {
        if fault == .skipsARecord {
            for (id, cursor) in away[index].cursors {
                away[index].cursors[id] = SyncRequest.Cursor(epoch: cursor.epoch, seq: cursor.seq + 1)
            }
        }
        try away[index].catchUp(gateway.store, limit: limit)
        let device = away[index]
        for id in gateway.conversations {
            let state = try gateway.store.read { try StoredState(id, $0) }
            guard let member = state.members[device.user] else {
                try expect(device.logs[id] == nil && device.standings[id] == nil, "it has what it has left")
                continue
            }
            let log = device.logs[id] ?? [:]
            let first = max(member.visibleFrom, device.baselines[id] ?? 0)
            let lastSeq = state.lastSeq(for: device.user)
            for record in state.records where record.seq > first && record.seq <= lastSeq {
                try expect(log[record.seq]?.id == record.id, "record \(record.seq) was not brought")
            }
            let standing = device.standings[id]
            try expect(standing?.lastSeq == lastSeq, "the last place is another")
            try expect(standing?.watermarks[device.user] == member.own, "its own watermarks are others")
            try expect(
                standing?.unreadCount == state.messages(for: device.user, after: max(member.joined, member.own.read)),
                "the unread count is another")
            try expect(Set(standing?.watermarks.keys ?? [:].keys) == Set(state.members.keys), "the members are others")
        }
    }

    private func expect(_ holds: Bool, _ what: @autoclosure () -> String) throws {
        guard holds else { throw ViolationError(what: what()) }
    }

    // MARK: Faults

    private func damage(_ gateway: InterleavedGateway, _ requests: [IncomingCommand]) throws {
        for request in requests {
            guard let receipt = (request.request as? any ReceiptRequest)?.mark, receipt.kind == .read,
                let seq = messages.first(where: { $0.id == receipt.message })?.seq
            else { continue }
            let user = request.sender.user
            switch fault {
            case .goesBackwards:
                try gateway.execute("UPDATE members SET read_seq = min(delivered_seq, \(seq)) WHERE user = '\(user)'")
            case .forgetsOtherDevices:
                try gateway.execute(
                    """
                    UPDATE members SET (delivered_seq, read_seq) = (SELECT delivered_seq, read_seq FROM device_watermarks d
                        WHERE d.conversation = members.conversation AND d.user = members.user
                            AND d.device = '\(request.sender.device)')
                    WHERE EXISTS (SELECT 1 FROM device_watermarks d WHERE d.conversation = members.conversation
                        AND d.user = members.user AND d.device = '\(request.sender.device)' AND d.user = '\(user)')
                    """)
            case .countsUp, .countsDeleted, .skipsARecord, nil: break
            }
        }
    }
}
