import Platform
import ParleyDeviceStore
import ParleyProtocol

struct ExpiryTimer {
    let configuration: ClientConfiguration, store: DeviceStore, hub: EventHub
    let conversationUpdates: ConversationUpdates, expirySignal: WakeSignal

    /// Waits for the next expiry with one timer, and deletes the message.
    nonisolated(nonsending) func run() async {
        var backoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
        while !Task.isCancelled {
            let next: Timestamp?
            do throws(DeviceStoreError) {
                next = try store.read { try $0.nextExpiry() }
            } catch {
                await expirySignal.wait(until: .now + backoff.next())
                continue
            }
            let now = configuration.now()
            guard let next, next <= now else {
                let pause = next.map { Duration.milliseconds($0.milliseconds - now.milliseconds) }
                await expirySignal.wait(until: pause.map { .now + $0 })
                continue
            }
            if removeExpired() {
                backoff.reset()
            } else {
                await expirySignal.wait(until: .now + backoff.next())
            }
        }
    }

    /// Deletes the expired messages, before any are shown.
    ///
    /// - Returns: whether the database could be written.
    @discardableResult
    func removeExpired() -> Bool {
        let now = configuration.now()
        let gone: [MessagePosition]
        do throws(DeviceStoreError) {
            gone = try store.write { try $0.removeExpired(at: now) }
        } catch {
            hub.emit(.storageFailed(error))
            return false
        }
        for position in gone { hub.emit(.messageRemoved(position.id, in: position.conversation, because: .expired)) }
        for id in Set(gone.map(\.conversation)) { conversationUpdates.recount(id) }
        return true
    }
}
