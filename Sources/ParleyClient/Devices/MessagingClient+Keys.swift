import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol
import Sodium

// This device's keys, published; and those of others, as far as they are trusted.

extension MessagingClient {
    /// Makes a new identity key and publishes it; the old one still opens what was sealed for it. To others it is a
    /// changed key: they send nothing to this user before they have accepted it.
    ///
    /// - Throws: ``ClientError/keys(_:)`` if there is none; another if it is published with the next connection.
    public func rotateKeys() async throws(ClientError) {
        do throws(KeyStoreError) {
            use(try configuration.keys.rotate(now: .now))
        } catch {
            throw .keys(error)
        }
        try await publishKeys()
    }

    private func use(_ keys: DeviceKeySet) {
        self.keys = keys
        cipher = MessageCipher(keys)
    }

    /// Publishes this device's keys. Others can write to it from then on, so it hears already.
    ///
    /// Another process of the device may have rotated them since the last connection.
    func publishKeys() async throws(ClientError) {
        let number = progress.number
        if progress.hasPublished {
            do throws(KeyStoreError) {
                use(try configuration.keys.keys())
            } catch {
                throw .keys(error)
            }
        }
        let publication: PublishKeys
        do throws(SodiumError) {
            publication = try keys.publication()
        } catch {
            throw .keys(error)
        }
        _ = try await ask { (gateway) async throws(RequestError) in try await gateway.publishKeys(publication) }
        progress.published(on: number)
        sendBell.ring()
    }

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
        let listing = try await ask(timeout: timeout) { (gateway) async throws(RequestError) in
            try await gateway.keys(of: user)
        }
        keyFetchCount[user, default: 0] += 1
        freshness.wasFetched(user, now: .now)
        let wasKnown = peers.book.isKnown(user)
        do throws(PeerKeysError) {
            take(try peers.update(user, with: listing, now: .now))
        } catch {
            throw .keys(error)
        }
        if !wasKnown { reopen(of: user) }
    }

    /// What has become of others' keys, here or in another process of the device.
    func take(_ notices: [PeerKeyNotice]) {
        var users: Set<UserID> = []
        for notice in notices {
            switch notice {
            case .added(let device):
                users.insert(device.user)
                hub.emit(.deviceAdded(device))
            case .changed(let device, _, _):
                users.insert(device.user)
                hub.emit(.keyChanged(device))
            case .accepted(let device, _):
                users.insert(device.user)
                for entry in known.values where entry.members.contains(device.user) { forgetSealed(in: entry.id) }
            case .removed(let device):
                users.insert(device.user)
            case .invalid:
                break
            }
        }
        for user in users.sorted() { reopen(of: user) }
        guard !users.isEmpty else { return }
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

    /// Where no key waits to be accepted any more, sending goes on.
    func releaseHeld() {
        guard !queue.waitingForKeys.isEmpty else { return }
        refreshPeers()
        for id in queue.waitingForKeys where peers.book.blocked(for: known[id]?.members ?? []).isEmpty {
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

    // MARK: What people compare and accept

    /// The number that two people compare to know that nobody sits between them: the same on both sides, from the keys of
    /// all devices of both.
    ///
    /// - Throws: ``ClientError``; without a connection it is made from what is known.
    public func safetyNumber(with user: UserID) async throws(ClientError) -> SafetyNumber {
        for each in [user, device.user] { try await freshenKeys(of: each) }
        let theirs = peers.book.presentedKeys(of: user).map(\.key)
        let ours = peers.book.presentedKeys(of: device.user).map(\.key) + [keys.identityKey]
        guard let number = SafetyNumber(device.user, .devices(ours), with: user, .devices(theirs)) else {
            throw .noKeys(user)
        }
        return number
    }

    /// Trusts the keys that a user's devices publish now, as fetched just before. What waited is sent, and what could not
    /// be opened is given out again.
    ///
    /// - Returns: the devices whose changed key was accepted.
    @discardableResult
    public func acceptKeys(of user: UserID) async throws(ClientError) -> [DeviceAddress] {
        try await freshenKeys(of: user)
        let changed = changedKeys(of: user)
        do throws(PeerKeysError) {
            take(try peers.accept(user))
        } catch {
            throw .keys(error)
        }
        return changed
    }

    /// The devices of a user whose changed key was not accepted.
    public func changedKeys(of user: UserID) -> [DeviceAddress] { peers.book.blocked(for: [user]) }

    /// Fetches keys if there is somebody to ask; without, what is known has to do.
    private func freshenKeys(of user: UserID) async throws(ClientError) {
        guard progress.isConnected else {
            refreshPeers()
            guard peers.book.isKnown(user) else { throw .timedOut(trouble: progress.trouble) }
            return
        }
        try await fetchKeys(of: user)
    }
}

extension MessageCipher {
    init(_ keys: DeviceKeySet) {
        self.init(device: keys.device, current: keys.identity, retired: keys.retired.map(\.keys))
    }
}
