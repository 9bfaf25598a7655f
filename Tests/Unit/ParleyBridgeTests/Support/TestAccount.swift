import ParleyProtocol
import Sodium
import TestNames

@testable import ParleyBridge

/// An account key that is the same each time, told from others by its number.
struct TestAccount {
    private let signer: Ed25519.SigningKey

    init(_ number: UInt8) throws {
        let seed = [UInt8](repeating: number, count: Ed25519.seedLength)
        signer = try Ed25519.SigningKey(seed: try SecretBytes(copying: seed.span))
    }

    var key: [UInt8] { signer.publicKey.bytes }

    func certificate(
        of keys: TestKeys, _ address: DeviceAddress, at issuedAt: Timestamp = at(0)
    ) throws -> DeviceCertificate {
        let preimage = DeviceCertificate.preimage(
            address, identityKey: keys.identityKey, signingKey: keys.signingKey, issuedAt: issuedAt)
        return DeviceCertificate(signature: try signer.sign(preimage.span), issuedAt: issuedAt)
    }
}

/// The keys of a device, told from others by their number.
struct TestKeys {
    let identityKey: [UInt8]
    var signingKey: [UInt8]
    let linkKey: [UInt8]

    init(_ number: UInt8) throws {
        identityKey = [UInt8](repeating: number, count: 32)
        linkKey = [UInt8](repeating: number ^ 0x40, count: 32)
        signingKey = try TestAccount(number ^ 0x80).key
    }

    var offer: LinkOffer { LinkOffer(identityKey: identityKey, signingKey: signingKey, linkKey: linkKey) }
}

/// A command as a device writes it.
func request(_ command: any Command, from sender: DeviceAddress) throws -> IncomingCommand {
    try request(type(of: command), String(decoding: command.payload(), as: UTF8.self), from: sender)
}

/// A query as a device writes it.
func request(_ query: any Query, from sender: DeviceAddress) throws -> IncomingQuery {
    try request(type(of: query), String(decoding: query.payload(), as: UTF8.self), from: sender)
}

/// `keys/publish`, certified by an account or by none.
func publish(
    _ keys: TestKeys, by account: TestAccount? = nil, from sender: DeviceAddress, issuedAt: Timestamp = at(0),
    reset: Bool = false
) throws -> IncomingCommand {
    let proof = try account.map {
        AccountProof(accountKey: $0.key, certificate: try $0.certificate(of: keys, sender, at: issuedAt))
    }
    return try request(
        PublishKeys(
            identityKey: keys.identityKey, signingKey: keys.signingKey, proof: proof, resetsAccount: reset),
        from: sender)
}

/// `links/offer`
func offer(_ keys: TestKeys, from sender: DeviceAddress) throws -> IncomingCommand {
    try request(keys.offer, from: sender)
}

/// `links/approve` of what a device has offered.
func approve(
    _ keys: TestKeys, of device: DeviceAddress, by account: TestAccount, from sender: DeviceAddress,
    issuedAt: Timestamp = at(0), sealed: UInt8 = 7
) throws -> IncomingCommand {
    try request(
        LinkApproval(
            device: device.device, certificate: try account.certificate(of: keys, device, at: issuedAt),
            sealed: [UInt8](repeating: sealed, count: LinkApproval.sealedLength)), from: sender)
}
