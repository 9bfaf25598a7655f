import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol
import Sodium

/// Publishes this device's keys, fetches those of others, and emits what has become of them.
struct KeyExchange {
    let context: ClientContext

    /// How often it is looked whether another process has accepted a key.
    static let betweenLooks: Duration = .seconds(2)

    // MARK: Its own

    /// Changes this device's keys on its disk.
    func change(_ change: DeviceKeyChange) throws(ClientError) {
        do throws(KeyStoreError) {
            context.keyring.replaceOwn(try context.configuration.keys.change(change, now: .now))
        } catch {
            throw .keys(error)
        }
    }

    /// Publishes this device's keys. Others can write to it from then on, so it has subscribed before.
    ///
    /// Another process of the device may have changed them since the last connection.
    nonisolated(nonsending) func publish() async throws(ClientError) {
        let number = context.progress.number
        if context.progress.hasPublished {
            do throws(KeyStoreError) {
                context.keyring.replaceOwn(try context.configuration.keys.keys())
            } catch {
                throw .keys(error)
            }
        }
        if context.keyring.own.accountKey == nil { try await makeAccountIfFirst() }
        try await publishWithAccount()
        context.progress.markPublished(on: number)
        context.wakeUps.send.signal()
        // What is listed beside this device is reported.
        context.keyring.freshness.requestFetch(of: context.device.user)
        context.wakeUps.fetch.signal()
    }

    /// The first device of a user makes the account key. Where there is one this device is to be linked by another.
    private nonisolated(nonsending) func makeAccountIfFirst() async throws(ClientError) {
        let listing = try await listing(of: context.device.user)
        if listing.accountKey == nil {
            try change(.newAccount)
        } else {
            disclose(.thisDeviceNotLinked(context.device))
        }
    }

    /// Publishes the keys with their certificate, if they have one; without it where the gateway has another account key.
    private nonisolated(nonsending) func publishWithAccount() async throws(ClientError) {
        do throws(ClientError) {
            try await publish(context.keyring.own.publication)
        } catch {
            guard case .refused(let rejection) = error, rejection.code == .conflict,
                let account = context.keyring.own.accountKey
            else { throw error }
            if context.keyring.own.status.isProposed {
                // Another device of the user's was first. Nobody has seen the account key that was made here.
                try change(.givingUp(account))
                disclose(.thisDeviceNotLinked(context.device))
            } else {
                disclose(.ownAccountKeyRefused(context.device.user))
            }
            let own = context.keyring.own
            try await publish { () throws(SodiumError) in try own.publication().withoutProof }
            return
        }
        guard let account = context.keyring.own.accountKey else { return }
        if context.keyring.own.status.isProposed { try change(.established(account)) }
        try adoptOwn(account)
    }

    /// Makes a new account key in the place of the one there is, here and at the gateway.
    nonisolated(nonsending) func resetAccount() async throws(ClientError) {
        let account: AccountSecret
        do throws(SodiumError) { account = try .generate() } catch { throw .keys(error) }
        try change(.adopting(account, nil))
        let own = context.keyring.own
        try await publish { () throws(SodiumError) in try own.publication().resettingAccount }
        try adoptOwn(account.publicKey)
        context.keyring.freshness.requestFetch(of: context.device.user)
        context.wakeUps.fetch.signal()
    }

    private nonisolated(nonsending) func publish(
        _ make: () throws(SodiumError) -> PublishKeys
    ) async throws(ClientError) {
        let publication: PublishKeys
        do throws(SodiumError) { publication = try make() } catch { throw .keys(error) }
        try await context.carryOut(publication)
    }

    private func adoptOwn(_ account: AccountKey) throws(ClientError) {
        do throws(PeerKeysError) { handle(try context.keyring.adoptOwn(account)) } catch { throw .keys(error) }
    }

    private func disclose(_ notice: PeerKeyNotice) {
        if context.keyring.disclose(notice) { context.hub.emit(.keys(notice)) }
    }

    // MARK: Others'

    /// Fetches what a user's devices publish, once for all who want it at the same time.
    nonisolated(nonsending) func fetch(
        of user: UserID, timeout: Duration = .seconds(30)
    ) async throws(ClientError) {
        let before = context.keyring.fetchCount(of: user)
        while !context.keyring.beginFetch(of: user) {
            try await context.wait(for: .keys(user)) { context.keyring.isFetching(user) ? nil : () }
            if context.keyring.fetchCount(of: user) != before { return }
        }
        defer {
            context.keyring.endFetch(of: user)
            context.waiters.wake(.keys(user))
        }
        let listing = try await listing(of: user, timeout: timeout)
        let isFirst: Bool
        do throws(PeerKeysError) {
            let merge = try context.keyring.merge(listing, now: .now)
            isFirst = merge.isFirst
            handle(merge.notices)
        } catch {
            throw .keys(error)
        }
        if isFirst { context.reopening.reopen(of: user) }
    }

    /// Fetches keys if there is somebody to ask; without, what is known has to do.
    nonisolated(nonsending) func freshen(_ user: UserID) async throws(ClientError) {
        guard context.progress.isConnected else {
            refresh()
            guard context.keyring.book.isKnown(user) || user == context.device.user else {
                throw .timedOut(cause: context.progress.cause)
            }
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
            let listing = try await context.ask(GetKeys(user: user), timeout: timeout)
            guard listing.user == user else { throw .malformedReply }
            return listing
        } catch {
            if case .malformedReply = error { throw context.report(.unreadableKeys(user)) }
            throw error
        }
    }

    /// Merges what another process of the device has accepted, and releases what waited for it.
    func refresh() {
        do throws(PeerKeysError) {
            handle(try context.keyring.refresh())
        } catch {
            // What is known already stays valid; the next change of the file is seen again.
        }
    }

    /// Carries out what a person has decided about keys that they were shown.
    func carryOut(_ decision: Keyring.Decision) throws(ClientError) {
        let outcome: (notices: [PeerKeyNotice], refusal: KeyAcceptanceError?)
        do throws(PeerKeysError) { outcome = try context.keyring.carryOut(decision) } catch { throw .keys(error) }
        handle(outcome.notices)
        if let refusal = outcome.refusal { throw .notAccepted(refusal) }
    }

    // MARK: What has become of keys

    /// Tells what has become of keys, here or in another process of the device, and lets go on what waited for it.
    private func handle(_ notices: [PeerKeyNotice]) {
        guard !notices.isEmpty else { return }
        var users: Set<UserID> = []
        for notice in notices {
            context.hub.emit(.keys(notice))
            switch notice {
            case .accepted(let user):
                users.insert(user)
                for entry in context.logs.all where entry.members.contains(user) { forgetSealed(in: entry.id) }
            case .met, .deviceAdded, .deviceRenewed, .deviceRemoved, .deviceIgnored, .deviceHeld, .ownDeviceNotLinked,
                .accountKeyChanged, .accountKeyGone, .accountKeyAppeared:
                users.insert(notice.user)
            case .verified, .ownDeviceMade, .thisDeviceNotLinked, .ownAccountKeyRefused:
                break
            }
        }
        for user in users.sorted() { context.reopening.reopen(of: user) }
        context.wakeUps.send.signal()
        context.wakeUps.fetch.signal()
    }

    /// The gateway says that it lists something new of a user. One's own devices are looked at soon, and those of whom
    /// something could not be opened; others' keys before the next send.
    func markChanged(_ user: UserID) {
        guard user == context.device.user || context.logs.unopenedSenders.contains(user) else {
            return context.keyring.freshness.markStale(user)
        }
        context.keyring.freshness.requestFetch(of: user)
        context.wakeUps.fetch.signal()
    }

    /// The gateway says that it has a new device.
    func announce(_ made: DeviceAddress) {
        guard made.user == context.device.user, made != context.device else { return }
        context.hub.emit(.keys(.ownDeviceMade(made)))
    }

    // MARK: What waits for keys

    /// The user whose keys are to be accepted before anything is sent to a conversation; `nil` where nothing waits for that.
    func heldUser(in conversation: ConversationID) -> UserID? {
        guard let entry = context.logs[conversation] else { return nil }
        return context.keyring.book.heldUser(
            among: entry.members, isDirect: entry.object?.type == .known(.direct))
    }

    /// Where no key waits to be accepted any more, sending goes on.
    func releaseHeld() {
        guard !context.outbox.waitingForKeys.isEmpty else { return }
        refresh()
        for id in context.outbox.waitingForKeys where heldUser(in: id) == nil {
            forgetSealed(in: id)
            context.outbox.release(id)
        }
    }

    /// What was sealed for a key that is no more is sealed anew.
    private func forgetSealed(in id: ConversationID) {
        context.writeBestEffort { transaction in
            for item in try transaction.facts.queued(in: id) where item.request != nil {
                try transaction.setRequest(nil, of: item.id)
            }
        }
    }
}

extension ClientContext {
    var keyExchange: KeyExchange { KeyExchange(context: self) }
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
