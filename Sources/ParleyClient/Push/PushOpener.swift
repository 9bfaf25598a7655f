import ParleyDeviceStore
import ParleyProtocol

/// Opens pushes without a client or connection: for an app's extension, a process with seconds to live that may run
/// beside the app.
///
/// It uses the device's keys and key book, exactly as the client does. A message that the app has stored is shown as
/// stored. Nothing is written, and a running client is never blocked.
///
/// ```swift
/// let opener = PushOpener(keys: FileKeyStore(in: directory), directory: directory)
/// let push = try opener.open(push: payload)
/// ```
public struct PushOpener: Sendable {
    private let keys: any DeviceKeyStore
    private let directory: DeviceDirectory
    /// The clock by which messages expire.
    public var now: @Sendable () -> Timestamp = { .now }

    /// - Parameters:
    ///   - keys: the device's own keys.
    ///   - directory: the client's.
    public init(keys: any DeviceKeyStore, directory: DeviceDirectory) {
        (self.keys, self.directory) = (keys, directory)
    }

    /// Opens a push.
    ///
    /// - Parameter payload: the notification object of protocol §7 as JSON (`parley` in APNs and FCM, the body of a
    ///   webhook, the decrypted Web Push), or the event of the topic.
    /// - Throws: ``PushError``; never because of the notification's content.
    public func open(push payload: [UInt8]) throws(PushError) -> OpenedPush {
        let notification = try PushNotification(payload: payload)
        let own = try ownKeys()
        let peers: PeerKeys
        do throws(PeerKeysError) {
            peers = try PeerKeys(in: directory, storageKey: own.storageKey)
        } catch {
            throw .peers(error)
        }
        let keyring = Keyring(own: own, peers: peers)
        func read(_ snapshot: Snapshot?) throws -> OpenedPush {
            try StoredPushSource(keyring: keyring, snapshot: snapshot, now: now()).read(notification)
        }
        do {
            return try store(own)?.read(read) ?? read(nil)
        } catch let error as DeviceStoreError {
            throw .storage(error)
        } catch {
            throw .storage(.damaged(path: directory.databasePath))
        }
    }

    /// - Returns: `nil` if nothing is stored yet, or the file is just being made or migrated: the keys alone suffice.
    private func store(_ own: DeviceKeySet) throws(DeviceStoreError) -> DeviceStoreReader? {
        do throws(DeviceStoreError) {
            return try DeviceStoreReader.open(
                path: directory.databasePath, device: own.device, storageKey: own.storageKey)
        } catch {
            if case .inUse = error { return nil }
            throw error
        }
    }

    private func ownKeys() throws(PushError) -> DeviceKeySet {
        let found: DeviceKeySet?
        do throws(KeyStoreError) { found = try keys.existingKeys() } catch { throw .keys(error) }
        guard let found else { throw .noKeys(keys.device) }
        return found
    }
}

extension PushNotification {
    /// Reads a payload: the object itself, or an event with it as its data.
    init(payload: [UInt8]) throws(PushError) {
        let object: JSONObject
        do throws(JSONError) { object = try JSONObject(parsing: payload) } catch { throw .payload(.json(error)) }
        do throws(ReadingError) {
            self = try PushNotification(reading: (try? object.object("data")) ?? object)
        } catch {
            throw .payload(error)
        }
    }
}

/// The state that a client has stored.
private struct StoredPushSource: PushSource {
    let keyring: Keyring
    /// `nil` if nothing is stored.
    let snapshot: Snapshot?
    let now: Timestamp

    var device: DeviceAddress { keyring.own.device }

    func kept(at position: OpenedPush.Position) throws -> ChatMessage? {
        guard let snapshot, let message = try snapshot.kept(at: position) else { return nil }
        return ChatMessage(message) { keyring.open($0, among: []) }
    }

    func read(in conversation: ConversationID) throws -> (epoch: String, seq: Int)? {
        guard let state = try snapshot?.conversation(conversation) else { return nil }
        let followed = FollowedConversation(state)
        return followed.log.epoch.map { ($0, followed.unread.readSeq) }
    }

    func opened(_ record: MessageRecord) -> ChatMessage {
        return ChatMessage(KeptMessage(record: record)) { keyring.open($0, among: []) }
    }

    func isVerified(_ user: UserID) -> Bool { keyring.book.isVerified(user) }
}

extension Snapshot {
    /// The stored message with an id, or else at a position.
    func kept(at position: OpenedPush.Position) throws -> KeptMessage? {
        if let id = position.message {
            return KeptMessage(try message(id, in: position.conversation))
        }
        guard let epoch = position.epoch, let seq = position.seq else { return nil }
        return KeptMessage(try message(at: seq, of: epoch, in: position.conversation))
    }
}
