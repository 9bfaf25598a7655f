/// `links/offer`: a new device's public keys, for another device of the user to certify (protocol §6, "Linking").
public struct LinkOffer: Command {
    public static let operation = Operation(validatedArea: "links", verb: "offer")
    public static let fields = "identity_key, signing_key, link_key"
    public typealias Reply = PendingLink

    /// X25519, 32 bytes.
    public let identityKey: [UInt8]
    /// Ed25519, 32 bytes.
    public let signingKey: [UInt8]
    /// X25519, 32 bytes, used once: what the account key is sealed for.
    public let linkKey: [UInt8]

    public init(identityKey: [UInt8], signingKey: [UInt8], linkKey: [UInt8]) {
        self.identityKey = identityKey
        self.signingKey = signingKey
        self.linkKey = linkKey
    }

    public init(_ object: JSONObject) throws(Rejection) {
        identityKey = try object.base64("identity_key", lengths: 32...32).required("identity_key")
        signingKey = try object.base64("signing_key", lengths: 32...32).required("signing_key")
        linkKey = try object.base64("link_key", lengths: 32...32).required("link_key")
    }

    public func writeFields(to object: inout JSONWriter) {
        object.member("identity_key", base64: identityKey)
        object.member("signing_key", base64: signingKey)
        object.member("link_key", base64: linkKey)
    }

    /// What the code that the new device shows is the BLAKE2b-256 of: `parley/v1 link`, uid, did and the three keys, each
    /// with its 16-bit big-endian length.
    public func codePreimage(of address: DeviceAddress) -> [UInt8] {
        var writer = ByteWriter()
        writer.field("parley/v1 link".utf8)
        writer.field(address.user.text.utf8)
        writer.field(address.device.text.utf8)
        for key in [identityKey, signingKey, linkKey] { writer.field(key) }
        return writer.bytes
    }
}

/// An offer as the gateway has it: the `data` of replies to `links/offer` and `links/get`.
public struct PendingLink: Hashable, Sendable {
    public let device: DeviceID
    public let offer: LinkOffer
    /// From then on it cannot be approved.
    public let expiresAt: Timestamp

    public init(device: DeviceID, offer: LinkOffer, expiresAt: Timestamp) {
        self.device = device
        self.offer = offer
        self.expiresAt = expiresAt
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { object in
            object.member("device_id", device)
            offer.writeFields(to: &object)
            object.member("expires_at", expiresAt)
        }
    }

    /// The event `link.offered`: a device of the user's own would be linked. It names no keys: they are asked for.
    public func writeEvent(to writer: inout JSONWriter) {
        writer.event("link.offered") { writer in
            writer.object {
                $0.member("device_id", device)
                $0.member("expires_at", expiresAt)
            }
        }
    }
}

/// `links/approve`: what a certified device hands the new one.
public struct LinkApproval: Command {
    public static let operation = Operation(validatedArea: "links", verb: "approve")
    public static let fields = "device_id, certificate, issued_at, sealed"
    public typealias Reply = Done

    /// `crypto_box_seal` of a seed of 32 bytes.
    public static let sealedLength = 80

    public let device: DeviceID
    public let certificate: DeviceCertificate
    /// The account's secret seed, sealed for the link key.
    public let sealed: [UInt8]

    public init(device: DeviceID, certificate: DeviceCertificate, sealed: [UInt8]) {
        self.device = device
        self.certificate = certificate
        self.sealed = sealed
    }

    public init(_ object: JSONObject) throws(Rejection) {
        device = try object.level("device_id").required("device_id")
        certificate = try DeviceCertificate(object)
        sealed = try object.base64("sealed", lengths: LinkApproval.sealedLength...LinkApproval.sealedLength)
            .required("sealed")
    }

    public func writeFields(to object: inout JSONWriter) {
        object.member("device_id", device)
        certificate.writeFields(to: &object)
        object.member("sealed", base64: sealed)
    }

    /// What makes two approvals the same.
    package func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        var writer = ByteWriter()
        for text in [sender.user.text, sender.device.text, device.text, "\(certificate.issuedAt.milliseconds)"] {
            writer.field(text.utf8)
        }
        writer.field(certificate.signature)
        writer.field(sealed)
        return writer.bytes
    }

    /// The event `link.approved`, for the device that is named in it.
    public func writeEvent(to writer: inout JSONWriter) {
        writer.event("link.approved") { writer in writer.object { writeFields(to: &$0) } }
    }
}

/// The event `link.offered`.
public struct ReceivedLinkOffer: Hashable, Sendable {
    public let device: DeviceID
    public let expiresAt: Timestamp
}

// MARK: Reading

extension PendingLink: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            device: try object.level("device_id").required("device_id"), offer: try LinkOffer(object),
            expiresAt: try object.timestamp("expires_at").required("expires_at"))
    }
}

extension LinkApproval: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) { try self.init(object) }
}

extension ReceivedLinkOffer: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        device = try object.level("device_id").required("device_id")
        expiresAt = try object.timestamp("expires_at").required("expires_at")
    }
}

/// `links/get`: what this device of the user's has offered.
public struct GetLink: Query, DeviceRequest {
    public static let operation = Operation(validatedArea: "links", verb: "get")
    public typealias Reply = PendingLink

    public let device: DeviceID

    public init(device: DeviceID) { self.device = device }
}
