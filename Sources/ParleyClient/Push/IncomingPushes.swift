import ParleyDeviceStore
import ParleyProtocol

struct IncomingPushes {
    let logs: ConversationLogs, keyring: Keyring, pushQueue: BoundedQueue<PushNotification>
    let configuration: ClientConfiguration, device: DeviceAddress, store: DeviceStore, hub: EventHub
    let chatMessages: ChatMessages, delivery: RecordDelivery, pushSignal: WakeSignal

    func handle(_ notification: PushNotification) {
        if case .known(.feed) = notification.type, notification.user == device.user {
            hub.emit(.gateway(notification.feedNotification))
        }
        guard pushQueue.append(notification) else { return emit(notification) }
        pushSignal.signal()
    }

    /// Emits pushes in order, after fetching missing keys of senders, at a limited rate.
    nonisolated(nonsending) func run() async {
        while !Task.isCancelled {
            guard let notification = pushQueue.removeFirst() else {
                await pushSignal.wait()
                continue
            }
            if let record = notification.message, notification.user == device.user {
                _ = await delivery.opened([record])
            }
            emit(notification)
        }
    }

    private func emit(_ notification: PushNotification) {
        do throws(DeviceStoreError) {
            hub.emit(.push(try open(notification)))
        } catch {
            hub.emit(.storageFailed(error))
        }
    }

    func open(_ notification: PushNotification) throws(DeviceStoreError) -> OpenedPush {
        try store.read { snapshot in
            let source = RunningPushSource(pushes: self, snapshot: snapshot)
            return try source.read(notification)
        }
    }
}

private struct RunningPushSource: PushSource {
    let pushes: IncomingPushes
    let snapshot: Snapshot

    var device: DeviceAddress { pushes.device }
    var now: Timestamp { pushes.configuration.now() }

    func kept(at position: OpenedPush.Position) throws -> ChatMessage? {
        try snapshot.kept(at: position).map { pushes.chatMessages.message(pushes.chatMessages.opened($0)) }
    }

    func read(in conversation: ConversationID) throws -> (epoch: String, seq: Int)? {
        guard let entry = pushes.logs[conversation], let epoch = entry.log.epoch else { return nil }
        return (epoch, entry.unread.readSeq)
    }

    func opened(_ record: MessageRecord) -> ChatMessage {
        pushes.chatMessages.message(pushes.chatMessages.opened(KeptMessage(record: record)))
    }

    func isVerified(_ user: UserID) -> Bool { pushes.keyring.book.isVerified(user) }
}
