/// `links/offer`: a new device's public keys, for another device of the user to certify (protocol §6, "Linking").
public struct LinkOffer: Command {
    public static let operation = Operation(validatedArea: "links", verb: "offer")
    public typealias Reply = PendingLink

    /// X25519, 32 bytes.
    public let identityKey: [UInt8]
    /// Ed25519, 32 bytes.
    public let signingKey: [UInt8]
    /// X25519, 32 bytes, used once: the account key is sealed for it.
    public let linkKey: [UInt8]

    public init(identityKey: [UInt8], signingKey: [UInt8], linkKey: [UInt8]) {
        (self.identityKey, self.signingKey, self.linkKey) = (identityKey, signingKey, linkKey)
    }

    /// The preimage of the code on the new device's screen, a BLAKE2b-256: `parley/v1 link`, uid, did and the three
    /// keys, each with its 16-bit big-endian length.
    public func codePreimage(of address: DeviceAddress) -> [UInt8] {
        ByteWriter.preimage("parley/v1 link", address, identityKey, signingKey, linkKey)
    }

    package init<Pass: FieldPass<LinkOffer>>(fields pass: inout Pass) throws(Pass.Failure) {
        identityKey = try pass.required("identity_key", \.identityKey, as: .base64(32))
        signingKey = try pass.required("signing_key", \.signingKey, as: .base64(32))
        linkKey = try pass.required("link_key", \.linkKey, as: .base64(32))
    }
}

/// A pending offer: the `data` of replies to `links/offer` and `links/get`.
public struct PendingLink: GatewayObject {
    public let device: DeviceID
    public let offer: LinkOffer
    /// The end of the time for approval.
    public let expiresAt: Timestamp

    public init(device: DeviceID, offer: LinkOffer, expiresAt: Timestamp) {
        (self.device, self.offer, self.expiresAt) = (device, offer, expiresAt)
    }

    package var notice: LinkOfferNotice { LinkOfferNotice(device: device, expiresAt: expiresAt) }

    package init<Pass: FieldPass<PendingLink>>(fields pass: inout Pass) throws(Pass.Failure) {
        device = try pass.required("device_id", \.device)
        offer = try pass.part(\.offer)
        expiresAt = try pass.required("expires_at", \.expiresAt)
    }
}

/// The event `link.offered`: one of the user's own devices asks to be linked. It names no keys; those are asked for.
public struct LinkOfferNotice: PersonalEvent, GatewayObject {
    package static let names = ["link.offered"]
    package var received: ReceivedEvent { .ignored }

    public let device: DeviceID
    public let expiresAt: Timestamp

    public init(device: DeviceID, expiresAt: Timestamp) { (self.device, self.expiresAt) = (device, expiresAt) }

    package init<Pass: FieldPass<LinkOfferNotice>>(fields pass: inout Pass) throws(Pass.Failure) {
        device = try pass.required("device_id", \.device)
        expiresAt = try pass.required("expires_at", \.expiresAt)
    }
}

/// `links/approve`: a certified device's approval of the new one.
public struct LinkApproval: RepeatableCommand {
    public static let operation = Operation(validatedArea: "links", verb: "approve")
    /// An offer is approved once, and names itself by its device.
    package static let namesWhatItMakes = false

    /// `crypto_box_seal` of a seed of 32 bytes.
    public static let sealedLength = 80

    public let device: DeviceID
    public let certificate: DeviceCertificate
    /// The account's secret seed, sealed for the link key.
    public let sealed: [UInt8]

    public init(device: DeviceID, certificate: DeviceCertificate, sealed: [UInt8]) {
        (self.device, self.certificate, self.sealed) = (device, certificate, sealed)
    }

    package func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        var writer = ByteWriter()
        for text in [sender.user.text, sender.device.text, device.text, "\(certificate.issuedAt.milliseconds)"] {
            writer.field(text.utf8)
        }
        writer.field(certificate.signature)
        writer.field(sealed)
        return writer.bytes
    }

    package init<Pass: FieldPass<LinkApproval>>(fields pass: inout Pass) throws(Pass.Failure) {
        device = try pass.required("device_id", \.device)
        certificate = try pass.part(\.certificate)
        sealed = try pass.required("sealed", \.sealed, as: .base64(LinkApproval.sealedLength))
    }
}

/// `links/get`: the pending offer of this device of the user's.
public struct GetLink: Query, DeviceRequest {
    public static let operation = Operation(validatedArea: "links", verb: "get")
    public typealias Reply = PendingLink

    public let device: DeviceID

    public init(device: DeviceID) { self.device = device }
}
