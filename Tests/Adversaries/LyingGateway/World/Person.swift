import ParleyCrypto
import ParleyProtocol
import Sodium

/// A device whose secret keys the test has: an honest person's, or an attacker's.
package struct OwnedDevice: Sendable {
    package let address: DeviceAddress
    let identity: IdentityKeyPair
    let signing: Ed25519.SigningKey
    var certificate: DeviceCertificate?
    let createdAt: Timestamp

    static func make(_ address: DeviceAddress, at time: Timestamp) throws -> OwnedDevice {
        OwnedDevice(
            address: address, identity: try .generate(), signing: try Ed25519.SigningKey(seed: .random(count: 32)),
            createdAt: time)
    }

    /// What the device publishes.
    var keys: DeviceKeys {
        let signed = DeviceKeys.signaturePreimage(address, identityKey: identity.publicKey.bytes)
        return DeviceKeys(
            device: address.device, identityKey: identity.publicKey.bytes, signingKey: signing.publicKey.bytes,
            signature: try? signing.sign(signed.span), certificate: certificate, createdAt: createdAt)
    }

    /// The same device under another name, for an attacker who has it appear wherever it helps.
    func appearing(as address: DeviceAddress, certificate: DeviceCertificate? = nil) -> OwnedDevice {
        OwnedDevice(
            address: address, identity: identity, signing: signing, certificate: certificate, createdAt: createdAt)
    }

    /// Its certificate by an account, in the name of `address`, which may be a lie.
    func certificate(
        by account: AccountSecret?, as address: DeviceAddress? = nil, at time: Timestamp
    ) -> DeviceCertificate? {
        try? account?.certify(
            address ?? self.address, identityKey: identity.publicKey.bytes, signingKey: signing.publicKey.bytes,
            at: time)
    }
}

/// Somebody whom the test plays, with secret keys and all.
package struct Person: Sendable {
    package let user: UserID
    /// `nil` for one whose devices know no account keys.
    private(set) var account: AccountSecret?
    private(set) var devices: [DeviceID: OwnedDevice] = [:]
    /// The phone's keys before those that anybody was told of: certified, not used any more, and stolen by the
    /// attacker.
    private(set) var stolen: OwnedDevice?

    static let phone = DeviceID(validated: "phone")

    /// Somebody with one device, `phone`, which has once had other keys.
    static func make(_ user: UserID, hasAccount: Bool, at time: Timestamp) throws -> Person {
        var person = Person(user: user)
        if hasAccount { person.account = try .generate() }
        try person.renewKeys(of: phone, at: time)
        person.stolen = person.phone
        try person.renewKeys(of: phone, at: time.advanced(byMilliseconds: 1))
        return person
    }

    /// Makes a device, or new keys of one that there is, and certifies it.
    mutating func renewKeys(of device: DeviceID, at time: Timestamp) throws {
        var made = try OwnedDevice.make(DeviceAddress(user: user, device: device), at: time)
        made.certificate = made.certificate(by: account, at: time)
        devices[device] = made
    }

    /// Begins anew with a device that has lost everything.
    mutating func reset(at time: Timestamp) throws {
        if account != nil { account = try .generate() }
        devices = [:]
        stolen = nil
        try renewKeys(of: Person.phone, at: time)
    }

    var listing: UserKeys {
        UserKeys(
            user: user, accountKey: account?.publicKey.bytes,
            devices: devices.values.map(\.keys).sorted { $0.device < $1.device })
    }

    var phone: OwnedDevice? { devices[Person.phone] }
}
