import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol
import Sodium

/// Publishes this device's keys, fetches those of others, and emits what has become of them.
struct KeyExchange {
    let outbox: Outbox, logs: ConversationLogs, keyring: Keyring, progress: ConnectionProgress, waiters: Waiters
    let configuration: ClientConfiguration, device: DeviceAddress, gateway: GatewayAccess, disk: StoreAccess
    let hub: EventHub
    let reopening: Reopening, fetchSignal: WakeSignal, sendSignal: WakeSignal

    /// How often it is looked whether another process has accepted a key.
    static let betweenLooks: Duration = .seconds(2)

    // MARK: Its own

    /// Changes this device's keys on its disk.
    func change(_ change: DeviceKeyChange) throws(ClientError) {
        keyring.replaceOwn(try withKeys { try configuration.keys.change(change, now: .now) })
    }

    /// Publishes this device's keys. Others can write to it from then on, so it has subscribed before.
    ///
    /// Another process of the device may have changed them since the last connection.
    nonisolated(nonsending) func publish() async throws(ClientError) {
        let number = progress.number
        if progress.hasPublished { keyring.replaceOwn(try withKeys { try configuration.keys.keys() }) }
        if keyring.own.accountKey == nil { try await makeAccountIfFirst() }
        try await publishWithAccount()
        progress.markPublished(on: number)
        sendSignal.signal()
        // What is listed beside this device is reported.
        keyring.freshness.requestFetch(of: device.user)
        fetchSignal.signal()
    }

    /// The first device of a user makes the account key. Where there is one this device is to be linked by another.
    private nonisolated(nonsending) func makeAccountIfFirst() async throws(ClientError) {
        let listing = try await listing(of: device.user)
        if listing.accountKey == nil {
            try change(.newAccount)
        } else {
            disclose(.thisDeviceNotLinked(device))
        }
    }

    /// Publishes the keys with their certificate, if they have one; without it where the gateway has another account
    /// key.
    private nonisolated(nonsending) func publishWithAccount() async throws(ClientError) {
        do throws(ClientError) {
            try await gateway.carryOut(try withKeys { try keyring.own.publication() })
        } catch {
            guard case .refused(let rejection) = error, rejection.code == .conflict,
                let account = keyring.own.accountKey
            else { throw error }
            if keyring.own.status.isProposed {
                // Another device of the user's was first. Nobody has seen the account key that was made here.
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

    /// Makes a new account key in the place of the one there is, here and at the gateway.
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

    /// Fetches what a user's devices publish, once for all who want it at the same time.
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

    /// Fetches keys if there is somebody to ask; without, what is known has to do.
    nonisolated(nonsending) func freshen(_ user: UserID) async throws(ClientError) {
        guard progress.isConnected else {
            refresh()
            guard keyring.book.isKnown(user) || user == device.user else { throw .timedOut(cause: progress.cause) }
            return
        }
        try await fetch(of: user)
    }

    /// What the gateway lists of a user.
    ///
    /// - Throws: ``ClientError/gatewayFault(_:)`` for what is no list, or one of another user.
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

    /// Merges what another process of the device has accepted, and releases what waited for it.
    func refresh() {
        do throws(PeerKeysError) {
            handle(try keyring.refresh())
        } catch {
            // What is known already stays valid; the next change of the file is seen again.
        }
    }

    /// Trusts exactly the keys that a person was shown.
    func accept(_ shown: ShownKeys, isCompared: Bool = false) throws(ClientError) {
        let (notices, refusal) = try withKeys { try keyring.accept(shown, isCompared: isCompared) }
        handle(notices)
        if let refusal { throw .notAccepted(refusal) }
    }

    // MARK: What has become of keys

    /// Tells what has become of keys, here or in another process of the device, and lets go on what waited for it.
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

    /// The gateway says that it lists something new of a user. One's own devices are looked at soon, and those of whom
    /// something could not be opened; others' keys before the next send.
    func markChanged(_ user: UserID) {
        guard user == device.user || logs.unopenedSenders.contains(user) else {
            return keyring.freshness.markStale(user)
        }
        keyring.freshness.requestFetch(of: user)
        fetchSignal.signal()
    }

    /// The gateway says that it has a new device.
    func announce(_ made: DeviceAddress) {
        guard made.user == device.user, made != device else { return }
        hub.emit(.keys(.ownDeviceMade(made)))
    }

    // MARK: What waits for keys

    /// The user whose keys are to be accepted before anything is sent to a conversation; `nil` where nothing waits for
    /// that.
    func heldUser(in conversation: ConversationID) -> UserID? {
        guard let entry = logs[conversation] else { return nil }
        return keyring.book.heldUser(among: entry.members, isDirect: entry.object?.type == .known(.direct))
    }

    /// Where no key waits to be accepted any more, sending goes on.
    func releaseHeld() {
        guard !outbox.waitingForKeys.isEmpty else { return }
        refresh()
        for id in outbox.waitingForKeys where heldUser(in: id) == nil {
            forgetSealed(in: id)
            outbox.release(id)
        }
    }

    /// What was sealed for a key that is no more is sealed anew.
    private func forgetSealed(in id: ConversationID) {
        disk.writeBestEffort { transaction in
            for item in try transaction.facts.queued(in: id) where item.request != nil {
                try transaction.setRequest(nil, of: item.id)
            }
        }
    }
}

extension PublishKeys {
    /// As an app publishes that knows no account keys.
    fileprivate var withoutProof: PublishKeys {
        PublishKeys(identityKey: identityKey, signingKey: signingKey, signature: signature)
    }

    fileprivate var resettingAccount: PublishKeys {
        PublishKeys(
            identityKey: identityKey, signingKey: signingKey, signature: signature, proof: proof, resetsAccount: true)
    }
}
