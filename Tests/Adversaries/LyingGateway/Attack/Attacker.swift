import ParleyCrypto
import ParleyProtocol

/// What somebody could open of what a client has sent.
package struct Reading: Hashable, Sendable {
    /// The device for which it was sealed: the one that the attacker was taken for.
    package let device: DeviceAddress
    package let conversation: ConversationID
    package let message: MessageID
    /// The JSON object of protocol §6, "Content".
    package let content: [UInt8]

    package var text: String { String(decoding: content, as: UTF8.self) }
}

/// The gateway's own person, with all secret keys that the gateway has: of a user, of devices that are whose they
/// please, and of an account.
struct Attacker: Sendable {
    static let user = UserID(validated: "mallory")
    static let device = DeviceID(validated: "x")

    let person: Person
    /// What every false device is, under whatever name it appears.
    let identity: OwnedDevice
    /// What every false account key is.
    let account: AccountSecret
    /// What every false link key is of.
    let link: LinkKeyPair
    /// Of a conversation that is told of and is none.
    let falseID = ConversationID.random()

    init(at time: Timestamp) throws {
        var person = try Person.make(Attacker.user, hasAccount: true, at: time)
        try person.renewKeys(of: Attacker.device, at: time)
        self.person = person
        identity = try OwnedDevice.make(DeviceAddress(user: Attacker.user, device: Attacker.device), at: time)
        account = try .generate()
        link = try .generate()
    }

    /// A device of somebody's, by the attacker's keys, with the certificate that `certify` gives it.
    func device(_ address: DeviceAddress, certificate: DeviceCertificate? = nil) -> DeviceKeys {
        identity.appearing(as: address, certificate: certificate).keys
    }
}

extension World {
    /// Opens a message with every secret that the attacker has, as each device that it is sealed for; and as honest
    /// people.
    mutating func open(_ sealed: SealedMessage, _ header: MessageHeader, members: [UserID]) {
        let keys = KnownKeys.ofSender(everPublished[header.sender] ?? [])
        let named =
            sealed.recipientKeys?.map(\.address) ?? members.map { DeviceAddress(user: $0, device: Person.phone) }
        for address in named where address != header.sender {
            let stolen = people[address.user]?.stolen
            let secrets = [attacker.identity, attacker.person.devices[Attacker.device], stolen].compactMap { $0 }
            for secret in secrets {
                if let reading = open(sealed, header, keys, as: address, with: secret) { readings.append(reading) }
            }
            if let device = people[address.user]?.devices[address.device],
                let reading = open(sealed, header, keys, as: address, with: device)
            {
                heard.append(reading)
            }
        }
    }

    private func open(
        _ sealed: SealedMessage, _ header: MessageHeader, _ keys: KnownKeys, as address: DeviceAddress,
        with secret: OwnedDevice
    ) -> Reading? {
        var cipher = MessageCipher(device: address, current: secret.identity)
        guard let content = try? cipher.open(sealed, header, with: keys) else { return nil }
        return Reading(
            device: address, conversation: header.conversation, message: header.id, content: content)
    }
}
