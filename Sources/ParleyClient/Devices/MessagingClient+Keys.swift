import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol
import Sodium

// This device's keys, published; and those of others, as far as they are trusted.

extension MessagingClient {
    /// Makes a new identity key and publishes it; the old one still opens what was sealed for it. Where this device has
    /// the account key, it certifies the new one, and others take it up by themselves. Without, it is to be linked anew,
    /// and to those who know it without an account key it is a changed key.
    ///
    /// - Throws: ``ClientError/keys(_:)`` if there is none; another if it is published with the next connection.
    public func rotateKeys() async throws(ClientError) {
        try change(.rotation)
        try await publishKeys()
    }

    /// Makes a new account key in the place of one that is lost with all devices that held it. The user's other devices are
    /// to be linked anew, and contacts see a changed account key: they send nothing before they have accepted it.
    ///
    /// - Throws: ``ClientError/keys(_:)`` if there is none; another if the gateway has not taken it. The account key that is
    ///   replaced is given up in either case.
    public func resetAccount() async throws(ClientError) {
        let account: AccountSecret
        do throws(SodiumError) { account = try .generate() } catch { throw .keys(error) }
        try change(.adopting(account, nil))
        try await publish { () throws(SodiumError) in try keys.publication().resettingAccount }
        do throws(PeerKeysError) { take(try peers.adoptOwn(account.publicKey)) } catch { throw .keys(error) }
        freshness.want(device.user)
        fetchBell.ring()
    }

    func change(_ change: DeviceKeyChange) throws(ClientError) {
        do throws(KeyStoreError) {
            use(try configuration.keys.change(change, now: .now))
        } catch {
            throw .keys(error)
        }
    }

    private func use(_ keys: DeviceKeySet) {
        self.keys = keys
        cipher = MessageCipher(keys)
    }

    // MARK: Publishing

    /// Publishes this device's keys. Others can write to it from then on, so it hears already.
    ///
    /// Another process of the device may have changed them since the last connection.
    func publishKeys() async throws(ClientError) {
        let number = progress.number
        if progress.hasPublished {
            do throws(KeyStoreError) {
                use(try configuration.keys.keys())
            } catch {
                throw .keys(error)
            }
        }
        if keys.accountKey == nil { try await makeAccountIfFirst() }
        try await publishWithAccount()
        progress.published(on: number)
        sendBell.ring()
        // What is listed beside this device is told.
        freshness.want(device.user)
        fetchBell.ring()
    }

    /// The first device of a user makes the account key. Where there is one this device is to be linked by another.
    private func makeAccountIfFirst() async throws(ClientError) {
        let listing = try await listing(of: device.user)
        if listing.accountKey == nil {
            try change(.newAccount)
        } else {
            tellOfOwnKeys(.thisDeviceNotLinked(device))
        }
    }

    /// Publishes the keys with their certificate, if they have one; without it where the gateway has another account key.
    private func publishWithAccount() async throws(ClientError) {
        do throws(ClientError) {
            try await publish(keys.publication)
        } catch {
            guard case .refused(let rejection) = error, rejection.code == .conflict, let account = keys.accountKey
            else { throw error }
            if keys.standing.isProposed {
                // Another device of the user's was first. Nobody has seen the account key that was made here.
                try change(.givingUp(account))
                tellOfOwnKeys(.thisDeviceNotLinked(device))
            } else {
                tellOfOwnKeys(.ownAccountKeyRefused(device.user))
            }
            try await publish { () throws(SodiumError) in try keys.publication().withoutProof }
            return
        }
        guard let account = keys.accountKey else { return }
        if keys.standing.isProposed { try change(.established(account)) }
        do throws(PeerKeysError) { take(try peers.adoptOwn(account)) } catch { throw .keys(error) }
    }

    private func publish(_ make: () throws(SodiumError) -> PublishKeys) async throws(ClientError) {
        let publication: PublishKeys
        do throws(SodiumError) { publication = try make() } catch { throw .keys(error) }
        try await ask { (gateway) async throws(RequestError) in try await gateway.carryOut(publication) }
    }

    private func tellOfOwnKeys(_ notice: PeerKeyNotice) {
        if toldOfOwnKeys.insert(notice).inserted { hub.emit(.keys(notice)) }
    }

    // MARK: Others' keys

    /// Fetches what a user's devices publish, once for all who want it at the same time.
    func fetchKeys(of user: UserID, timeout: Duration = .seconds(30)) async throws(ClientError) {
        let before = keyFetchCount[user]
        if keyFetches.contains(user) {
            try await wait(for: .keys(user)) { keyFetches.contains(user) ? nil : () }
            if keyFetchCount[user] != before { return }
        }
        keyFetches.insert(user)
        defer {
            keyFetches.remove(user)
            waiters.wake(.keys(user))
        }
        let listing = try await listing(of: user, timeout: timeout)
        keyFetchCount[user, default: 0] += 1
        freshness.wasFetched(user, now: .now)
        let wasKnown = peers.book.isKnown(user)
        do throws(PeerKeysError) {
            take(try peers.update(with: listing))
        } catch {
            throw .keys(error)
        }
        if !wasKnown { reopen(of: user) }
    }

    /// What the gateway lists of a user.
    ///
    /// - Throws: ``ClientError/gatewayFault(_:)`` for what is no list, or one of another user.
    private func listing(
        of user: UserID, timeout: Duration = .seconds(30)
    ) async throws(ClientError) -> UserKeys {
        do throws(ClientError) {
            let listing = try await ask(timeout: timeout) { (gateway) async throws(RequestError) in
                try await gateway.keyListing(of: user)
            }
            guard listing.user == user else { throw .malformedReply }
            return listing
        } catch {
            if case .malformedReply = error { throw refuse(.unreadableKeys(user)) }
            throw error
        }
    }

    /// Tells what has become of keys, here or in another process of the device, and lets go on what waited for it.
    func take(_ notices: [PeerKeyNotice]) {
        guard !notices.isEmpty else { return }
        var users: Set<UserID> = []
        for notice in notices {
            hub.emit(.keys(notice))
            switch notice {
            case .accepted(let user):
                users.insert(user)
                for entry in known.values where entry.members.contains(user) { forgetSealed(in: entry.id) }
            case .met, .deviceAdded, .deviceRenewed, .deviceRemoved, .deviceIgnored, .deviceHeld, .ownDeviceNotLinked,
                .accountKeyChanged, .accountKeyGone, .accountKeyAppeared:
                users.insert(notice.user)
            case .verified, .ownDeviceMade, .thisDeviceNotLinked, .ownAccountKeyRefused:
                break
            }
        }
        for user in users.sorted() { reopen(of: user) }
        sendBell.ring()
        fetchBell.ring()
    }

    /// Takes up what another process of the device has accepted, and lets go on what waited for it.
    func refreshPeers() {
        do throws(PeerKeysError) {
            take(try peers.refresh())
        } catch {
            // What is known already stands; the next change of the file is seen again.
        }
    }

    /// The gateway says that it lists something new of a user. One's own devices are looked at soon, and those of whom
    /// something could not be opened; others' keys before the next send.
    func keysChanged(of user: UserID) {
        guard user == device.user || unopened.isAny(of: user) else { return freshness.isStale(user) }
        freshness.want(user)
        fetchBell.ring()
    }

    func ownDeviceMade(_ made: DeviceAddress) {
        guard made.user == device.user, made != device else { return }
        hub.emit(.keys(.ownDeviceMade(made)))
    }

    // MARK: What waits for keys

    /// The user whose keys are to be accepted before anything is sent to a conversation; `nil` where nothing waits for that.
    ///
    /// A group waits for nobody as long as anybody else would get what is sent: those who are held are left out.
    public func heldUser(in conversation: ConversationID) -> UserID? {
        guard let entry = known[conversation] else { return nil }
        let others = entry.members.filter { $0 != device.user }
        guard let held = others.sorted().first(where: peers.book.isHeld) else { return nil }
        if entry.object?.type == .known(.direct) { return held }
        return peers.book.recipients(of: others, besides: device).sealed.isEmpty ? held : nil
    }

    /// Where no key waits to be accepted any more, sending goes on.
    func releaseHeld() {
        guard !queue.waitingForKeys.isEmpty else { return }
        refreshPeers()
        for id in queue.waitingForKeys where heldUser(in: id) == nil {
            forgetSealed(in: id)
            queue.release(id)
        }
    }

    /// What was sealed for a key that is no more is sealed anew.
    private func forgetSealed(in id: ConversationID) {
        note { transaction in
            for item in try transaction.facts.queued(in: id) where item.request != nil {
                try transaction.setRequest(nil, of: item.id)
            }
        }
    }

    /// Fetches keys if there is somebody to ask; without, what is known has to do.
    func freshenKeys(of user: UserID) async throws(ClientError) {
        guard progress.isConnected else {
            refreshPeers()
            guard peers.book.isKnown(user) || user == device.user else { throw .timedOut(trouble: progress.trouble) }
            return
        }
        try await fetchKeys(of: user)
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

extension MessageCipher {
    init(_ keys: DeviceKeySet) {
        self.init(device: keys.device, current: keys.identity, retired: keys.retired.map(\.keys))
    }
}
