import GatewaySite
import ParleyClient
import ParleyProtocol

/// Two people who talk with each other and in a group of their own, before a backup, after it, and after it was
/// restored.
actor TalkingPair {
    /// Where a device is between the backup and the restore.
    enum Role {
        /// Signed in all the time.
        case stays
        /// Signed in until shortly before the gateway is killed.
        case leaves
        /// Signed out since shortly before the backup, which has messages that the device has not.
        case isAway
    }

    private struct Member {
        let device: TalkingDevice
        let role: Role
        var session: DeviceSession?
        /// The message that was written while the gateway was away, and in which talk.
        var waiting: (id: MessageID, text: String, talk: Int)?
    }

    private var members: [Member]
    private var talks: [Talk] = []
    private let faults: TalkFaults
    private var count = 0
    /// Which message is at a place of a log, on any device, ever.
    private var places: [Place: MessageID] = [:]

    private struct Place: Hashable {
        let conversation: ConversationID
        let epoch: String
        let seq: Int
    }

    init(_ devices: [(device: TalkingDevice, role: Role)], _ faults: TalkFaults) {
        members = devices.map { Member(device: $0.device, role: $0.role) }
        self.faults = faults
    }

    private var present: [MessagingClient] { members.compactMap(\.session?.client) }

    private func openMissing() async throws -> [Double] {
        var seconds: [Double] = []
        for index in members.indices where members[index].session == nil {
            let session = try await DeviceSession.open(members[index].device, faults)
            members[index].session = session
            seconds.append(session.syncSeconds)
            try await recordWaiting(index)
        }
        return seconds
    }

    private func close(_ roles: Set<Role>) async throws {
        for index in members.indices where roles.contains(members[index].role) {
            try await members[index].session?.close()
            members[index].session = nil
        }
    }

    // MARK: Acts

    /// Signs in and says something, some of which nobody reads.
    func begin(rounds: Int) async throws {
        _ = try await openMissing()
        let (one, other) = (present[0], present[1])
        try await one.people.follow(other.device.user)
        try await other.people.follow(one.device.user)
        let direct = try await one.conversation(with: other.device.user).id
        let group = try await one.groups.create(name: "Both", with: [other.device.user]).id
        talks = [Talk(direct), Talk(group)]
        try await talk(rounds)
        try await markRead()
        try await awaitRead()
        try await close([.isAway])
        try await talk(max(1, rounds / 4))
    }

    func recordBackup() {
        for index in talks.indices { talks[index].backUp() }
    }

    /// Goes on after the backup.
    func goOn(rounds: Int) async throws {
        try await talk(rounds)
        // These marks are lost, too.
        try await markRead()
        try await close([.leaves])
    }

    /// Writes while no gateway runs: on devices that wait for it, and on those that are opened for just that.
    func writeMeanwhile() async throws {
        for index in talks.indices { talks[index].restore() }
        for index in members.indices where members[index].role != .isAway {
            count += 1
            let (text, conversation) = ("meanwhile \(count)", talks[index].conversation)
            let id: MessageID
            if let client = members[index].session?.client {
                id = try await client.send(.text(text), to: conversation)
            } else {
                id = try await MessagingClient.open(members[index].device.configuration) { client in
                    try await client.send(.text(text), to: conversation)
                }
            }
            members[index].waiting = (id, text, index)
        }
    }

    /// The devices come back.
    ///
    /// - Returns: how long each took to be up to date, in seconds.
    func comeBack() async throws -> [Double] {
        for index in members.indices where members[index].session != nil { try await recordWaiting(index) }
        return try await openMissing()
    }

    private func recordWaiting(_ index: Int) async throws {
        guard let waiting = members[index].waiting, let client = members[index].session?.client else { return }
        _ = try await client.outcome(of: waiting.id)
        talks[waiting.talk].append(
            Talk.Entry(id: waiting.id, sender: client.device.user, kind: .message(waiting.text)))
        members[index].waiting = nil
    }

    /// Each present device sends `rounds` messages to each conversation, changes some, and sends one more. Returns when
    /// all present devices have them.
    func talk(_ rounds: Int) async throws {
        for index in talks.indices {
            for _ in 0..<rounds { for client in present { try await say(client, index) } }
            for client in present { try await change(client, index) }
            for client in present { try await say(client, index) }
        }
        let clients = present
        for index in talks.indices {
            guard let last = talks[index].last?.id else { continue }
            let conversation = talks[index].conversation
            for client in clients {
                try await client.awaitCondition("last message at \(client.device)") {
                    try await client.history(of: conversation, limit: 1).messages.last?.id == last
                }
            }
            talks[index].recordReceipt(by: clients.map(\.device.user))
        }
    }

    private func say(_ client: MessagingClient, _ index: Int) async throws {
        count += 1
        let text = "message \(count)"
        let id = try await client.send(.text(text), to: talks[index].conversation)
        try await record(client, index, id, .message(text))
    }

    private func record(_ client: MessagingClient, _ index: Int, _ id: MessageID, _ kind: Talk.Kind) async throws {
        _ = try await client.outcome(of: id)
        talks[index].append(Talk.Entry(id: id, sender: client.device.user, kind: kind))
    }

    /// Edits and deletes an old and a new message, and reacts to an old one of the other's.
    private func change(_ client: MessagingClient, _ index: Int) async throws {
        let conversation = talks[index].conversation
        let own = talks[index].unchanged(by: client.device.user)
        guard own.count >= 4, let other = talks[index].unchanged(by: client.device.user, isOwn: false).first else {
            return
        }
        for target in [own[0], own[own.count - 1]] {
            count += 1
            let text = "edited \(count)"
            let id = try await client.edit(target, in: conversation, to: .text(text))
            try await record(client, index, id, .edit(of: target, to: text))
        }
        for target in [own[1], own[own.count - 2]] {
            let id = try await client.delete(target, in: conversation)
            try await record(client, index, id, .deletion(of: target))
        }
        let id = try await client.react(to: other, in: conversation, with: "👍")
        try await record(client, index, id, .reaction(to: other, "👍"))
    }

    private func markRead() async throws {
        for index in talks.indices {
            guard let last = talks[index].last?.id else { continue }
            for client in present {
                try await client.markRead(talks[index].conversation, upTo: last)
                talks[index].recordRead(by: client.device.user)
            }
        }
    }

    /// Returns when each device sees its last message as read by the other.
    private func awaitRead() async throws {
        for talk in talks {
            for client in present {
                let conversation = talk.conversation
                try await client.awaitCondition("read receipt at \(client.device)") {
                    let newest = try await client.history(of: conversation, limit: 10).messages
                    return newest.last { $0.sender == client.device }?.status == .read
                }
            }
        }
    }

    // MARK: Assertions

    /// How many records of these conversations the gateway has lost.
    var lost: Int { talks.reduce(0) { $0 + $1.lost } }
    /// A member of each conversation, and what the gateway has of it.
    var records: [(viewer: UserID, talk: Talk)] { talks.map { (members[0].device.user, $0) } }

    /// Compares what the devices show with what they have received and the gateway has.
    ///
    /// - Returns: how many messages were compared.
    func check() async throws -> Int {
        var shown = 0
        for client in present {
            for talk in talks {
                let user = client.device.user
                let messages = try await allMessages(client, talk.conversation)
                let found = messages.map(shownMessage)
                shown += found.count
                compare(found, talk.expected(by: user), "\(client.device) in \(talk.conversation)")
                let unread = talk.unread(by: user)
                let conversation = talk.conversation
                do {
                    try await client.awaitCondition("unread count") {
                        await client.conversations.all().first { $0.id == conversation }?.unreadCount == unread
                    }
                } catch LoadError.missing {
                    let count = await client.conversations.all().first { $0.id == conversation }?.unreadCount
                    faults.add("\(client.device) counts \(count ?? -1) unread messages and not \(unread)")
                }
            }
        }
        return shown
    }

    private func compare(_ found: [Talk.Shown], _ expected: [Talk.Shown], _ whose: String) {
        guard found != expected else { return }
        let index = zip(found, expected).prefix { $0 == $1 }.count
        func text(_ list: [Talk.Shown]) -> String { index < list.count ? "\(list[index])" : "nothing" }
        faults.add(
            "\(whose) shows \(found.count) messages of \(expected.count); message \(index) is \(text(found)) and not "
                + text(expected))
    }

    /// All messages of people, by pages, in the order in which they are shown.
    private func allMessages(_ client: MessagingClient, _ conversation: ConversationID) async throws -> [ChatMessage] {
        var messages: [ChatMessage] = []
        var position = HistoryPosition.newest
        while true {
            let slice = try await client.history(of: conversation, at: position, limit: 50)
            messages = slice.messages + messages
            guard !slice.reachedStart, let first = slice.messages.first else { break }
            position = .before(.id(first.id))
        }
        let positions = messages.compactMap(\.position)
        if positions.count != messages.count || !zip(positions, positions.dropFirst()).allSatisfy({ $0 < $1 }) {
            faults.add("\(client.device) shows messages of \(conversation) without a place or out of order")
        }
        for message in messages {
            guard let position = message.position else { continue }
            let place = Place(conversation: conversation, epoch: position.epoch, seq: position.seq)
            let known = places.updateValue(message.id, forKey: place)
            if let known, known != message.id { faults.add("\(known) and \(message.id) share \(place)") }
        }
        return messages.filter { if case .system = $0.content { false } else { true } }
    }

    private func shownMessage(_ message: ChatMessage) -> Talk.Shown {
        var shown = Talk.Shown(id: message.id, isEdited: message.isEdited, reactions: message.reactions)
        switch message.content {
        case .opened(let content):
            if case .text(let text) = content.value { shown.text = text }
        case .removed: break
        case .system, .unreadable: faults.add("\(message) is not readable")
        }
        return shown
    }

    /// Reads everything, and returns when each device knows that the other has.
    func readAll() async throws {
        try await markRead()
        try await awaitRead()
    }

    /// Signs in again, so that what is shown comes from the disk.
    func reopen() async throws {
        try await close([.stays, .leaves, .isAway])
        _ = try await openMissing()
    }

    func end() async throws { try await close([.stays, .leaves, .isAway]) }
}
