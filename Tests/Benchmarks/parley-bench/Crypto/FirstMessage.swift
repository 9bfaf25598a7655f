import GatewaySite
import ParleyClient
import ParleyCrypto
import ParleyProtocol

/// The first message to a group that a device has never written to: certificates are checked, keys are pinned, secrets
/// are agreed and the content key is sealed for every device.
struct FirstMessage {
    private static let users = 10
    private static let devices = 3

    private let sender: DeviceKeySet
    private let listings: [UserKeys]

    init() throws {
        var sender: DeviceKeySet?
        var listings: [UserKeys] = []
        for number in 0..<Self.users {
            let user = UserID(validated: "user\(number)")
            let account = try AccountSecret.generate()
            var listed: [DeviceKeys] = []
            for device in 0..<Self.devices {
                let address = DeviceAddress(user: user, device: DeviceID(validated: "device\(device)"))
                let keys = try DeviceKeySet.generate(for: address)
                sender = sender ?? keys
                let published = try keys.publication()
                let certificate = try account.certify(
                    address, identityKey: published.identityKey, signingKey: keys.signingPublicKey,
                    at: Timestamp(milliseconds: 0))
                listed.append(
                    DeviceKeys(
                        device: address.device, identityKey: published.identityKey, signingKey: keys.signingPublicKey,
                        signature: published.signature, certificate: certificate,
                        createdAt: Timestamp(milliseconds: 0)))
            }
            listings.append(UserKeys(user: user, accountKey: account.publicKey.bytes, devices: listed))
        }
        guard let sender else { throw SiteError.badName }
        (self.sender, self.listings) = (sender, listings)
    }

    /// - Returns: the row of a table: milliseconds of the thread's CPU, of so many first messages.
    func row(content count: Int, runs: Int) throws -> [String] {
        let content = [UInt8](repeating: UInt8(ascii: "x"), count: count)
        var times: [Double] = []
        for _ in 0..<max(1, runs) {
            let begun = ThreadTime.now
            guard try send(content) == Self.users * Self.devices - 1 else { throw SiteError.badName }
            times.append(Double(ThreadTime.now - begun) / 1e6)
        }
        return ["\(Self.users) users with \(Self.devices) devices each", Spread(times).formatted(2)]
    }

    /// - Returns: for how many devices it was sealed.
    private func send(_ content: [UInt8]) throws -> Int {
        var book = PeerKeyBook(of: sender.device)
        for listing in listings { _ = book.update(with: listing) }
        let recipients = book.recipients(of: listings.map(\.user), besides: sender.device)
        var cipher = MessageCipher(device: sender.device, current: sender.identity)
        let header = MessageHeader(
            suite: .groupBox, conversation: ConversationID(.random()), id: MessageID(.random()), sender: sender.device,
            type: .text)
        let sealed = try cipher.seal(content, header, for: .devices(recipients.sealed.map { ($0.device, $0.key) }))
        return sealed.recipientKeys?.count ?? 0
    }
}
