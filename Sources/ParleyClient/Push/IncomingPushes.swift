import ParleyDeviceStore
import ParleyProtocol

/// Pushes that came on the topic and were not looked at yet: a bounded number.
struct PushQueue {
    private var waiting: [PushNotification] = []

    static let capacity = 64

    /// - Returns: whether there was room.
    mutating func append(_ notification: PushNotification) -> Bool {
        guard waiting.count < PushQueue.capacity else { return false }
        waiting.append(notification)
        return true
    }

    mutating func next() -> PushNotification? { waiting.isEmpty ? nil : waiting.removeFirst() }
}

/// Handles pushes that come on the topic while there is a connection.
struct IncomingPushes {
    let context: ClientContext

    func handle(_ notification: PushNotification) {
        if case .known(.feed) = notification.type, notification.user == context.device.user {
            context.hub.emit(.gateway(notification.feedNotification))
        }
        guard context.pushQueue.append(notification) else { return emit(notification) }
        context.wakeUps.push.signal()
    }

    /// Emits what came, each in its turn: whose keys are not known yet they are fetched, once in a while, as for what comes by
    /// the log.
    nonisolated(nonsending) func run() async {
        while !Task.isCancelled {
            guard let notification = context.pushQueue.next() else {
                await context.wakeUps.push.wait()
                continue
            }
            if let record = notification.message, notification.user == context.device.user {
                _ = await context.delivery.opened([record])
            }
            emit(notification)
        }
    }

    private func emit(_ notification: PushNotification) {
        do throws(DeviceStoreError) {
            context.hub.emit(.push(try open(notification)))
        } catch {
            context.hub.emit(.storageFailed(error))
        }
    }

    func open(_ notification: PushNotification) throws(DeviceStoreError) -> OpenedPush {
        try context.store.read { snapshot in
            var source = RunningPushSource(context: context, snapshot: snapshot)
            return try source.read(notification)
        }
    }
}

/// What a running client has.
private struct RunningPushSource: PushSource {
    let context: ClientContext
    let snapshot: Snapshot

    var device: DeviceAddress { context.device }
    var now: Timestamp { context.configuration.now() }

    func kept(at place: OpenedPush.Place) throws -> ChatMessage? {
        try snapshot.kept(at: place).map { context.chatMessages.message(context.opened($0)) }
    }

    func read(in conversation: ConversationID) throws -> (epoch: String, seq: Int)? {
        guard let entry = context.logs[conversation], let epoch = entry.log.epoch else { return nil }
        return (epoch, entry.unread.readSeq)
    }

    mutating func opened(_ record: MessageRecord) -> ChatMessage {
        context.chatMessages.message(context.opened(KeptMessage(record: record)))
    }

    func isVerified(_ user: UserID) -> Bool { context.keyring.book.isVerified(user) }
}

extension ClientContext {
    var pushes: IncomingPushes { IncomingPushes(context: self) }
}
