import ParleyProtocol

/// The registration of a device with a push service.
package struct PushRegistration: Hashable, Sendable {
    package let device: DeviceAddress
    /// Unique, so that the answer to one registration is not taken for that of the next.
    package let number: Int64
    package let target: PushTarget
    package let registeredAt: Timestamp

    package init(device: DeviceAddress, number: Int64, target: PushTarget, registeredAt: Timestamp) {
        (self.device, self.number, self.target, self.registeredAt) = (device, number, target, registeredAt)
    }
}

/// The registrations of devices.
package struct PushRegistrationQueries {
    let database: Database

    /// The registrations of all devices of these users, in the order of users and devices. Of a disabled user there are
    /// none: nothing goes to where they cannot sign in.
    package func registrations(of users: some Collection<UserID>) throws(StoreError) -> [UserID: [PushRegistration]] {
        var found: [UserID: [PushRegistration]] = [:]
        try database.read(users.map { [.text($0.text)] }, key: "?") { users in
            """
            SELECT p."user", p.device, p.number, p.target, p.registered_at
            FROM push_registrations p
            WHERE p."user" IN (\(users)) AND (SELECT u.disabled_at FROM users u WHERE u.id = p."user") IS NULL
            ORDER BY p."user", p.device
            """
        } _: { row in
            // A row that cannot be read, such as one of a later version, must not keep other devices from being
            // reached.
            guard let registration = try? PushRegistration(row) else { return }
            found[registration.device.user, default: []].append(registration)
        }
        return found
    }

    package func registration(of device: DeviceAddress) throws(StoreError) -> PushRegistration? {
        try database.first(
            """
            SELECT "user", device, number, target, registered_at FROM push_registrations WHERE "user" = ? AND device = ?
            """, [device.user.text, device.device.text]
        ) { try PushRegistration($0) }
    }

    /// Whether anybody is registered at all.
    package func hasAny() throws(StoreError) -> Bool {
        try database.row("SELECT 1 FROM push_registrations LIMIT 1") != nil
    }
}

extension PushRegistration {
    fileprivate init(_ row: some ColumnReader) throws(StoreError) {
        guard let object = try? JSONObject(parsing: row.bytes(3) ?? []), let target = try? PushTarget(members: object)
        else {
            throw .inconsistent(.column(3))
        }
        self.init(
            device: DeviceAddress(user: try row.level(0), device: try row.level(1)), number: Int64(row.integer(2)),
            target: target, registeredAt: row.time(4))
    }
}

/// Writes the registrations of devices.
package struct PushRegistrationWrites {
    let database: Database

    /// Registers a device, in place of its registration before and of other devices' with the same address.
    ///
    /// - Parameters:
    ///   - address: a digest of the provider, its address of the device and the secret that shows whose that is, 16
    ///     bytes.
    ///   - formerAddress: the same without the secret, as earlier versions wrote it.
    /// - Returns: the devices that have lost theirs.
    package func put(
        _ registration: PushRegistration, address: [UInt8], formerAddress: [UInt8]
    ) throws(StoreError) -> [DeviceAddress] {
        let (user, device) = (registration.device.user.text, registration.device.device.text)
        let holders = try holders(of: registration, address: address, formerAddress: formerAddress)
        for holder in holders { try remove(holder, at: registration.registeredAt) }
        if try delete(registration.device) {
            try events.insert(.registrationChange(registration.device), at: registration.registeredAt)
        }
        var target = JSONWriter()
        target.object { registration.target.writeMembers(to: &$0) }
        try database.run(
            """
            INSERT INTO push_registrations ("user", device, number, provider, address, target, registered_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                user, device, registration.number, registration.target.provider.rawValue, address,
                target.finish(), registration.registeredAt.milliseconds,
            ])
        return holders
    }

    /// Other devices that are registered with the same address and the same secret.
    private func holders(
        of registration: PushRegistration, address: [UInt8], formerAddress: [UInt8]
    ) throws(StoreError) -> [DeviceAddress] {
        try database.list(
            #"SELECT "user", device, address, target FROM push_registrations WHERE address IN (?, ?)"#,
            [address, formerAddress]
        ) { row -> DeviceAddress? in
            let holder = DeviceAddress(user: try row.level(0), device: try row.level(1))
            guard holder != registration.device else { return nil }
            // Earlier versions wrote the secret into the target alone.
            let target = (try? JSONObject(parsing: row.bytes(3) ?? [])).flatMap { try? PushTarget(members: $0) }
            let hasSecret = target?.ownershipSecret == registration.target.ownershipSecret
            return row.bytes(2) == address || hasSecret ? holder : nil
        }.compactMap(\.self)
    }

    /// Removes the registration of a device, whose jobs are dropped.
    package func remove(_ device: DeviceAddress, at now: Timestamp) throws(StoreError) {
        if try delete(device) { try events.insert(.registrationEnd(device), at: now) }
    }

    /// Ends a registration that its provider no longer knows, unless the device has registered again.
    ///
    /// - Parameters:
    ///   - time: since when; `nil` if the provider does not say.
    ///   - now: the time of day.
    /// - Returns: whether there was one.
    package func end(
        _ number: Int64, of device: DeviceAddress, since time: Timestamp?, at now: Timestamp
    ) throws(StoreError) -> Bool {
        let count = try database.change(
            """
            DELETE FROM push_registrations WHERE "user" = ? AND device = ? AND number = ? AND registered_at <= ?
            """,
            [device.user.text, device.device.text, number, time?.milliseconds ?? .max])
        guard count > 0 else { return false }
        try events.insert(.registrationEnd(device), at: now)
        return true
    }

    /// - Returns: whether there was one.
    private func delete(_ device: DeviceAddress) throws(StoreError) -> Bool {
        try database.change(
            #"DELETE FROM push_registrations WHERE "user" = ? AND device = ?"#, [device.user.text, device.device.text])
            > 0
    }

    private var events: PushEventWrites { PushEventWrites(database: database) }
}
