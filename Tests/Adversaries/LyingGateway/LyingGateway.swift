import Foundation
import MQTTWire
import ParleyCrypto
import ParleyProtocol
import Synchronization

/// A gateway and its broker in the hands of an attacker, for clients of a test: honest until it is told to lie.
///
/// It speaks as much MQTT 5 as a device needs, keeps everything in memory, and plays all users but those whose devices
/// connect: honest ones, and `mallory`, whose keys the gateway has. Everything that a client sends is tried with every
/// key that the attacker has: ``readings`` are to be none. It ends with the value.
package final class LyingGateway: Sendable {
    /// On the loopback interface.
    package let port: UInt16
    private let shared: SharedWorld
    private let isOver = DispatchSemaphore(value: 0)
    private let markers = Mutex(0)

    /// The attacker's own user.
    package static let attacker = Attacker.user

    /// - Parameters:
    ///   - port: 0 for one that is free.
    ///   - whenRead: called for each message that the attacker has read, on a thread of the gateway's own.
    package init(port: UInt16 = 0, whenRead: @escaping @Sendable (Reading) -> Void = { _ in }) throws {
        shared = try SharedWorld(try World(), whenRead: whenRead)
        let listener = try Socket.listen(onLoopbackPort: port)
        self.port = listener.port
        // It ends when `deinit` says so.
        let thread = Thread { [shared, isOver] in
            var loop = BrokerLoop(listener: listener.descriptor, shared)
            loop.run()
            isOver.signal()
        }
        thread.name = "lying-gateway"
        thread.start()
    }

    deinit {
        shared.order { $0.isStopped = true }
        isOver.wait()
    }

    private func withWorld<Value: Sendable>(_ body: (inout sending World) throws -> sending Value) rethrows -> Value {
        try shared.world.withLock { try body(&$0) }
    }

    private func publish(_ publications: [Publication]) {
        shared.order { $0.publications += publications }
    }

    // MARK: People

    /// Lets somebody exist whose devices connect.
    package func register(_ user: UserID) { withWorld { $0.register(user) } }

    /// Lets somebody exist whom the test plays: with one device, `phone`, and if so with an account key.
    package func add(_ user: UserID, hasAccount: Bool) throws {
        try withWorld { try $0.add(user, hasAccount: hasAccount) }
    }

    /// The other of the two has begun their conversation: it is listed, and whoever is there hears of it.
    @discardableResult
    package func acquaint(_ one: UserID, with other: UserID) throws -> ConversationID {
        let (id, event) = try withWorld { world in
            let object = try world.directThread(of: other, one).object
            let event = Publication(.user(one, .events)) { writer in
                writer.event("conversation.created") { object.write(to: &$0) }
            }
            return (object.id, event)
        }
        publish([event])
        return id
    }

    /// Everybody in a group talked before.
    package func makeGroup(of users: [UserID]) -> ConversationID {
        withWorld { $0.make(.random(), .group, name: "a group", users).id }
    }

    /// A person makes new keys of a device, or a device more, and certifies them: an honest change.
    package func renewKeys(of user: UserID, device: DeviceID = DeviceID(validated: "phone")) throws {
        try withWorld { try $0.change(user) { try $0.renewKeys(of: device, at: $1) } }
        announceKeys(of: user)
    }

    /// A person loses everything and begins anew: an honest change.
    package func reset(_ user: UserID) throws {
        try withWorld { try $0.change(user) { try $0.reset(at: $1) } }
        announceKeys(of: user)
    }

    /// An honest person writes.
    package func say(_ text: String, by user: UserID, to device: DeviceAddress) throws {
        publish(try withWorld { try $0.say(text, by: user, to: device) })
    }

    // MARK: Lies

    /// Tells a lie about somebody from now on, to the devices of `user`.
    package func tell(_ lie: Lie, about partner: UserID, to device: DeviceAddress) throws {
        let events = try withWorld { world -> [Publication] in
            world.lies[partner, default: []].insert(lie)
            world.fetches[partner] = 0
            world.pages = 0
            switch lie {
            case .conversation(let lie):
                if lie == .thirdAfterRefusal { world.refusesOnce.insert(partner) }
                return world.events(of: lie, about: partner, to: device.user)
            case .event(let lie): return world.events(of: lie, about: partner, to: device)
            case .sender(let lie): return try world.events(of: lie, about: partner, to: device)
            case .push(let lie): return try world.events(of: lie, about: partner, to: device)
            case .link(let lie): return world.events(of: lie, to: device)
            case .keys, .refusal, .endless, .backup: return []
            }
        }
        publish(events)
    }

    /// Lies about the fields of all that is told of those who train together, until ``beHonestAboutTraining()``.
    package func lieAboutTraining(seed: UInt64) { withWorld { $0.fieldLies = FieldLies(seed: seed) } }

    package func beHonestAboutTraining() { withWorld { $0.fieldLies = nil } }

    /// Publishes one event of each kind about a user's group, a conversation of theirs and a friend: as it is, or with
    /// lies about its fields and beside events of a group of others'.
    ///
    /// - Returns: how many.
    @discardableResult
    package func tellOfTraining(
        _ group: GroupID, in conversation: ConversationID, to user: UserID, and friend: UserID
    ) -> Int {
        let events = withWorld { world -> [Publication] in
            guard let group = world.training.groups[group] else { return [] }
            return world.fieldLies == nil
                ? world.trainingEvents(of: group, in: conversation, to: user, and: friend)
                : world.falseTrainingEvents(of: group, in: conversation, to: user, and: friend)
        }
        publish(events)
        return events.count
    }

    /// Tells a user of so many groups that they are in now.
    package func tellOfGroups(_ count: Int, to user: UserID) {
        let events = withWorld { world -> [Publication] in
            guard let group = world.training.groups.values.first else { return [] }
            return (0..<count).map { _ in
                let id = GroupID.random()
                let other = TrainingGroup(
                    id: id, name: group.name, conversation: ConversationID(of: id), createdBy: user,
                    createdAt: group.createdAt, timeZone: "UTC", members: group.members)
                return Publication(GroupJoined(other), to: user)
            }
        }
        publish(events)
    }

    /// Tells the truth about somebody again.
    package func beHonest(about partner: UserID) {
        withWorld { world in
            world.lies[partner] = nil
            world.refusesOnce.remove(partner)
        }
    }

    /// Says to everybody that somebody's keys may be others, in every way that makes a client look.
    package func announceKeys(of user: UserID) {
        let events = withWorld { world -> [Publication] in
            let time = world.tick()
            let changes = world.published.keys.map { Publication(KeysChange(user: user), to: $0) }
            let none = DeviceAddress(user: user, device: DeviceID(validated: "none"))
            return changes + [Publication(DeviceRevocation(device: none, at: time), .everybody)]
        }
        publish(events)
    }

    /// Tells a user of a new friend whom nobody else is called after: when the client has told of that, it has taken up
    /// all that was published before.
    package func mark(for user: UserID) -> UserID {
        let number = markers.withLock { number in
            number += 1
            return number
        }
        let friend = UserID(validated: "marker-\(number)")
        publish([
            Publication(PersonNotice(.friendAdded, friend), to: user, .everybody)
        ])
        return friend
    }

    /// Has messages to somebody wait at their senders; `nil` takes them again.
    package func setBusy(with user: UserID?) { withWorld { $0.busyWith = user } }

    /// Takes messages from now on for whatever devices they were sealed.
    package func takeAnything() { withWorld { $0.takesAnything = true } }

    /// Lets the gateway's time go on.
    package func letPass(minutes: Int) { withWorld { $0.letPass(milliseconds: Int64(minutes) * 60_000) } }

    /// Breaks every connection; clients come back.
    package func dropConnections() { shared.order { $0.dropsConnections = true } }

    // MARK: What came of it

    /// What the attacker has read.
    package var readings: [Reading] { withWorld { $0.readings } }

    /// How many account keys the attacker was handed.
    package var accountsTaken: Int { withWorld { $0.accountsTaken } }

    /// How many certificates were given of anything but what a device has offered.
    package var falselyCertified: Int { withWorld { $0.falselyCertified } }

    /// Under which account key a user is published.
    package func publishedAccount(of user: UserID) -> [UInt8]? { withWorld { $0.published[user]?.accountKey } }

    /// How often a lie without end has gone on.
    package var pages: Int { withWorld { $0.pages } }

    /// How many requests were answered.
    package var answered: Int { withWorld { $0.answered } }

    /// What honest people could open.
    package var heard: [Reading] { withWorld { $0.heard } }

    /// Forgets what was read, and gives it.
    package func takeReadings() -> [Reading] {
        withWorld { world in
            defer {
                world.readings = []
                world.heard = []
            }
            return world.readings
        }
    }

    /// Whether these are the digits that the other person's true device shows, whether the one or the other is known by
    /// an account key or by the keys of all devices.
    package func isTrue(_ number: String, of one: UserID, with other: UserID) -> Bool {
        let keys = withWorld { world in [one, other].map { world.published[$0]?.compared ?? [] } }
        return keys[0].contains { ours in
            keys[1].contains { theirs in SafetyNumber(one, ours, with: other, theirs)?.digits == number }
        }
    }
}

extension UserKeys {
    fileprivate var compared: [SafetyNumber.Keys] {
        var all: [SafetyNumber.Keys] = [.devices(devices.compactMap { IdentityKey($0.identityKey) })]
        if let account = accountKey.flatMap({ AccountKey($0) }) { all.append(.account(account)) }
        return all
    }
}
