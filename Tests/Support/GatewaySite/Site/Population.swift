import ParleyBridge
import ParleyProtocol
import ParleyRules
import ParleyStore

/// The users, devices and conversations of a site.
package struct Population {
    package struct Seat: Sendable {
        package let address: DeviceAddress
        /// The device's password.
        package let token: String

        /// Adds the device to the database, with a token that `tokens` makes.
        package init(
            _ address: DeviceAddress, _ tokens: TokenIssuer, now: Timestamp, role: AccessToken.Role = .device,
            _ transaction: WriteTransaction
        ) throws {
            let (id, expiresAt) = (TokenID.random(), now.advanced(byMilliseconds: Population.tokenDays * 86_400_000))
            try transaction.devices.put(address, tokenID: id.value, now: now, expiresAt: expiresAt)
            let claims = AccessToken.Claims(
                user: address.user, device: address.device, expiresAt: expiresAt.milliseconds / 1000, id: id,
                role: role)
            (self.address, token) = (address, try tokens.issue(claims))
        }

        /// A device that there is.
        package init(_ address: DeviceAddress, token: String) { (self.address, self.token) = (address, token) }
    }

    /// A conversation and its members, each with one device; the first is the one that sends.
    package struct Group {
        package let id: ConversationID
        package let seats: [Seat]
    }

    /// Days, more than any measurement takes.
    private static let tokenDays: Int64 = 30

    /// Makes `count` conversations of `members` users that are nowhere else, straight in the database of a gateway that
    /// does not run.
    package static func make(
        conversations count: Int, members: Int, store: Store, tokens: TokenIssuer
    ) throws -> [Group] {
        let now = Timestamp.systemNow
        return try store.write { transaction in
            try (0..<count).map { number in
                let seats = try (0..<members).map { place in
                    let address = try DeviceAddress(named: "bench-\(number)-\(place)", "phone")
                    try transaction.users.insert(
                        address.user, role: .member, displayName: address.user.description, messagePrivacy: .anyone,
                        at: now)
                    return try Seat(address, tokens, now: now, transaction)
                }
                let id = ConversationID.random()
                _ = try transaction.conversations.insert(
                    NewConversation(
                        id: id, type: members == 2 ? .direct : .group, name: nil, creator: seats[0].address.user,
                        members: seats.map { ($0.address.user, .member) }, epoch: "bench", digest: nil), at: now)
                return Group(id: id, seats: seats)
            }
        }
    }

    /// How many messages of conversations are stored, by the end of their logs.
    package static func storedMessages(in conversations: [Group], _ store: Store) throws -> Int {
        try store.read { snapshot in
            try conversations.reduce(0) { sum, group in
                sum + (try snapshot.conversations.conversation(group.id)?.facts.lastSeq ?? 0)
            }
        }
    }
}

extension DeviceAddress {
    package init(named user: String, _ device: String) throws {
        guard let user = UserID(user), let device = DeviceID(device) else { throw SiteError.badName }
        self.init(user: user, device: device)
    }
}
