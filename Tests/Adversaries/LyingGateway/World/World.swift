import Platform
import ParleyCrypto
import ParleyProtocol

/// What a gateway holds, whom it plays, and which lies it tells. It does no I/O: a request goes in, an answer comes
/// out.
struct World: Sendable {
    /// What users have published, as it really is.
    var published: [UserID: UserKeys] = [:]
    /// Every identity key that a device has ever published: who was given something by it opens with it.
    var everPublished: [DeviceAddress: [IdentityKey]] = [:]
    var people: [UserID: Person] = [:]
    var attacker: Attacker
    var threads: [ConversationID: TrueConversation] = [:]
    /// In which they were made.
    var order: [ConversationID] = []

    /// The lies that are told, and about whom.
    var lies: [UserID: Set<Lie>] = [:]
    /// How often the keys of a user were asked for since a lie about them is told.
    var fetches: [UserID: Int] = [:]
    /// How often a lie without end has gone on.
    var pages = 0
    /// Whose next message is answered with `stale_devices`, once.
    var refusesOnce: Set<UserID> = []

    /// What devices have offered in order to be linked, the last of each.
    var links: [DeviceAddress: OfferedLink] = [:]
    /// The backups of users' account keys, all that there ever were: who lies forgets nothing.
    var backups: [UserID: [AccountBackup]] = [:]
    /// How many account keys were handed over so that the attacker could open them.
    var accountsTaken = 0
    /// How many certificates were given of anything but what the device has offered.
    var falselyCertified = 0

    /// With whom messages are answered with `unavailable`: their sender tries again.
    var busyWith: UserID?
    /// Whether messages are taken for whatever devices they were sealed.
    var takesAnything = false

    /// What the attacker has read of what clients sent.
    var readings: [Reading] = []
    /// What honest people could open of it.
    var heard: [Reading] = []
    /// What was reported of days, repeats included.
    var reports: [ReportMetrics] = []
    /// What reports of days are answered with instead of being taken.
    var reportRefusal: Rejection?

    /// By what devices are reached that are not connected.
    var pushTargets: [DeviceAddress: PushTarget] = [:]
    /// What registrations are answered with instead of being taken.
    var pushRefusal: Rejection?

    /// The messages of which their senders want others notified in quiet hours, too.
    var urgent: Set<MessageID> = []

    /// What there is of those who train together.
    var training = TrainingRecords()
    /// The lies about the fields of what is told of them, if any are told.
    var fieldLies: FieldLies?
    /// How many requests were answered.
    var answered = 0

    private(set) var now: Timestamp

    /// A world with the attacker in it.
    init() throws {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        now = Timestamp(milliseconds: Int64(time.tv_sec) * 1000)
        attacker = try Attacker(at: now)
        published[attacker.person.user] = attacker.person.listing
    }

    /// The next millisecond: no two things happen at once.
    mutating func tick() -> Timestamp {
        now = now.advanced(byMilliseconds: 1)
        return now
    }

    mutating func letPass(milliseconds: Int64) { now = now.advanced(byMilliseconds: milliseconds) }

    // MARK: People

    /// Lets somebody exist, whose keys come from a client.
    mutating func register(_ user: UserID) {
        if published[user] == nil { published[user] = UserKeys(user: user, devices: []) }
    }

    /// Lets somebody exist whom the test plays.
    mutating func add(_ user: UserID, hasAccount: Bool) throws {
        let person = try Person.make(user, hasAccount: hasAccount, at: tick())
        _ = tick()
        people[user] = person
        publish(person.listing)
    }

    /// Changes somebody's keys as the person might, and publishes them.
    mutating func change(_ user: UserID, _ body: (inout Person, Timestamp) throws -> Void) throws {
        guard var person = people[user] else { return }
        try body(&person, tick())
        people[user] = person
        publish(person.listing)
    }

    private mutating func publish(_ keys: UserKeys) {
        published[keys.user] = keys
        for device in keys.devices { remember(device, of: keys.user) }
    }

    mutating func remember(_ keys: DeviceKeys, of user: UserID) {
        let address = DeviceAddress(user: user, device: keys.device)
        guard let key = IdentityKey(keys.identityKey), everPublished[address]?.contains(key) != true else { return }
        everPublished[address, default: []].insert(key, at: 0)
    }

    // MARK: Lies

    func tells(_ lie: Lie, about user: UserID?) -> Bool {
        user.flatMap { lies[$0]?.contains(lie) } ?? false
    }

    /// Whether it is told of anybody: for lies about whoever asks.
    func tells(_ lie: Lie) -> Bool { lies.values.contains { $0.contains(lie) } }

    /// Which of these lies is told about a user.
    func told(about user: UserID?) -> Set<Lie> { user.flatMap { lies[$0] } ?? [] }
}
