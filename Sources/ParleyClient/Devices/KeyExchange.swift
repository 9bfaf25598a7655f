import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol
import Sodium

/// Publishes this device's keys, fetches other users' keys, and emits changes of them.
struct KeyExchange {
    let outbox: Outbox, logs: ConversationLogs, keyring: Keyring, progress: ConnectionProgress, waiters: Waiters
    let configuration: ClientConfiguration, device: DeviceAddress, gateway: GatewayAccess, disk: StoreAccess
    let hub: EventHub
    let reopening: Reopening, fetchSignal: WakeSignal, sendSignal: WakeSignal

    /// The interval of checks whether another process has accepted a key.
    static let checkInterval: Duration = .seconds(2)

    // MARK: Its own

    func change(_ change: DeviceKeyChange) throws(ClientError) {
        keyring.replaceOwn(try withKeys { try configuration.keys.change(change, now: .now) })
    }

    /// Publishes this device's keys. Others can write to it from then on, so its subscriptions come first.
    ///
    /// Another process of the device may have changed the keys since the last connection.
    nonisolated(nonsending) func publish() async throws(ClientError) {
        let number = progress.number
        if progress.hasPublished { keyring.replaceOwn(try withKeys { try configuration.keys.keys() }) }
        if keyring.own.accountKey == nil { try await makeAccountIfFirst() }
        try await publishWithAccount()
        progress.markPublished(on: number)
        sendSignal.signal()
        // Reports other devices that are listed for the user.
        keyring.freshness.requestFetch(of: device.user)
        fetchSignal.signal()
    }

    /// The first device of a user makes the account key; a later one has to be linked.
    private nonisolated(nonsending) func makeAccountIfFirst() async throws(ClientError) {
        let listing = try await listing(of: device.user)
        if listing.accountKey == nil {
            try change(.newAccount)
        } else {
            disclose(.thisDeviceNotLinked(device))
        }
    }

    /// Publishes the keys with their certificate, or without it if the gateway has another account key.
    private nonisolated(nonsending) func publishWithAccount() async throws(ClientError) {
        do throws(ClientError) {
            try await gateway.carryOut(try withKeys { try keyring.own.publication() })
        } catch {
            guard case .refused(let rejection) = error, rejection.code == .conflict,
                let account = keyring.own.accountKey
            else { throw error }
            if keyring.own.status.isProposed {
                // Another device of the user was first. The account key that was made here is still unknown to others.
                try change(.givingUp(account))
                disclose(.thisDeviceNotLinked(device))
            } else {
                disclose(.ownAccountKeyRefused(device.user))
            }
            let own = keyring.own
            try await gateway.carryOut(try withKeys { try own.publication().withoutProof })
            return
        }
        guard let account = keyring.own.accountKey else { return }
        if keyring.own.status.isProposed { try change(.established(account)) }
        try adoptOwn(account)
    }

    /// Replaces the account key, here and at the gateway.
    nonisolated(nonsending) func resetAccount() async throws(ClientError) {
        let account = try withKeys { try AccountSecret.generate() }
        try change(.adopting(account, nil))
        let own = keyring.own
        try await gateway.carryOut(try withKeys { try own.publication().resettingAccount })
        try adoptOwn(account.publicKey)
        keyring.freshness.requestFetch(of: device.user)
        fetchSignal.signal()
    }

    private func adoptOwn(_ account: AccountKey) throws(ClientError) {
        handle(try withKeys { try keyring.adoptOwn(account) })
    }

    private func disclose(_ notice: PeerKeyNotice) {
        if keyring.disclose(notice) { hub.emit(.keys(notice)) }
    }

    // MARK: Others'

    /// Fetches a user's keys, once for all concurrent callers.
    nonisolated(nonsending) func fetch(
        of user: UserID, timeout: Duration = .seconds(30)
    ) async throws(ClientError) {
        let before = keyring.fetchCount(of: user)
        while !keyring.beginFetch(of: user) {
            try await waiters.wait(for: .keys(user)) { keyring.isFetching(user) ? nil : () }
            if keyring.fetchCount(of: user) != before { return }
        }
        defer {
            keyring.endFetch(of: user)
            waiters.wake(.keys(user))
        }
        let listing = try await listing(of: user, timeout: timeout)
        let (notices, isFirst) = try withKeys { try keyring.merge(listing, now: .now) }
        handle(notices)
        if isFirst { reopening.reopen(of: user) }
    }

    /// Fetches keys if there is a connection; otherwise known keys must suffice.
    nonisolated(nonsending) func freshen(_ user: UserID) async throws(ClientError) {
        guard progress.isConnected else {
            refresh()
            guard keyring.book.isKnown(user) || user == device.user else { throw .timedOut(cause: progress.cause) }
            return
        }
        try await fetch(of: user)
    }

    /// The gateway's list of a user's keys.
    ///
    /// - Throws: ``ClientError/gatewayFault(_:)`` for a malformed list or another user's.
    private nonisolated(nonsending) func listing(
        of user: UserID, timeout: Duration = .seconds(30)
    ) async throws(ClientError) -> UserKeys {
        do throws(ClientError) {
            let listing = try await gateway.ask(GetKeys(user: user), timeout: timeout)
            guard listing.user == user else { throw .malformedReply }
            return listing
        } catch {
            if case .malformedReply = error { throw gateway.report(.unreadableKeys(user)) }
            throw error
        }
    }

    /// Merges keys that another process of the device has accepted, and resumes what waited for them.
    func refresh() {
        do throws(PeerKeysError) {
            handle(try keyring.refresh())
        } catch {
            // Known keys stay valid; the next change of the file is seen again.
        }
    }

    func accept(_ shown: ShownKeys, isCompared: Bool = false) throws(ClientError) {
        let (notices, refusal) = try withKeys { try keyring.accept(shown, isCompared: isCompared) }
        handle(notices)
        if let refusal { throw .notAccepted(refusal) }
    }

    // MARK: What has become of keys

    /// Emits changes of keys, by this or another process, and resumes what waited for them.
    private func handle(_ notices: [PeerKeyNotice]) {
        guard !notices.isEmpty else { return }
        var users: Set<UserID> = []
        for notice in notices {
            hub.emit(.keys(notice))
            switch notice {
            case .accepted(let user):
                users.insert(user)
                for entry in logs.all where entry.members.contains(user) { forgetSealed(in: entry.id) }
            case .met, .deviceAdded, .deviceRenewed, .deviceRemoved, .deviceIgnored, .deviceHeld, .ownDeviceNotLinked,
                .accountKeyChanged, .accountKeyGone, .accountKeyAppeared:
                users.insert(notice.user)
            case .verified, .ownDeviceMade, .thisDeviceNotLinked, .ownAccountKeyRefused:
                break
            }
        }
        for user in users.sorted() { reopening.reopen(of: user) }
        sendSignal.signal()
        fetchSignal.signal()
    }

    /// The gateway's list of a user has changed. The user's own is fetched soon, as are those of senders of unopened
    /// messages; others' before the next send.
    func markChanged(_ user: UserID) {
        guard user == device.user || logs.unopened.senders.contains(user) else {
            return keyring.freshness.markStale(user)
        }
        keyring.freshness.requestFetch(of: user)
        fetchSignal.signal()
    }

    /// Handles the gateway's notice of a new device.
    func announce(_ made: DeviceAddress) {
        guard made.user == device.user, made != device else { return }
        hub.emit(.keys(.ownDeviceMade(made)))
    }

    // MARK: What waits for keys

    /// The user whose keys must be accepted before anything is sent to a conversation, if any.
    func heldUser(in conversation: ConversationID) -> UserID? {
        guard let entry = logs[conversation] else { return nil }
        return keyring.book.heldUser(among: entry.members, isDirect: entry.object?.type == .known(.direct))
    }

    func releaseHeld() {
        guard !outbox.queue.waitingForKeys.isEmpty else { return }
        refresh()
        for id in outbox.queue.waitingForKeys where heldUser(in: id) == nil {
            forgetSealed(in: id)
            outbox.release(id)
        }
    }

    /// Drops queued ciphertext, so that it is sealed again for the new keys.
    private func forgetSealed(in id: ConversationID) {
        disk.writeBestEffort { transaction in
            for item in try transaction.facts.queued(in: id) where item.request != nil {
                try transaction.setRequest(nil, of: item.id)
            }
        }
    }
}

extension PublishKeys {
    /// As apps without account keys publish.
    fileprivate var withoutProof: PublishKeys {
        PublishKeys(identityKey: identityKey, signingKey: signingKey, signature: signature)
    }

    fileprivate var resettingAccount: PublishKeys {
        PublishKeys(
            identityKey: identityKey, signingKey: signingKey, signature: signature, proof: proof, resetsAccount: true)
    }
}
