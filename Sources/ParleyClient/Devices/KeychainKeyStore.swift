#if canImport(Security)
    import Foundation
    import ParleyProtocol
    import Security
    import Sodium

    /// Keeps a device's keys in the system's keychain, on this device alone and not before it was first unlocked.
    ///
    /// Items are only ever added: each holds all keys, and the one with the highest number counts. Adding an item that
    /// is there fails, so that of several processes one makes the keys, or changes them, and the others find what it made.
    public struct KeychainKeyStore: DeviceKeyStore {
        public let device: DeviceAddress
        private let service: String

        /// - Parameter service: what the items are filed under; the app's own name.
        public init(of device: DeviceAddress, service: String) {
            self.device = device
            self.service = service
        }

        public func keys() throws(KeyStoreError) -> DeviceKeySet {
            try namingPlace { () throws(KeyStoreError.Reason) in try newestOrNew().keys }
        }

        public func change(_ change: DeviceKeyChange, now: Timestamp) throws(KeyStoreError) -> DeviceKeySet {
            try namingPlace { () throws(KeyStoreError.Reason) in
                while true {
                    let newest = try newestOrNew()
                    guard
                        let keys = try withResources({ () throws(SodiumError) in
                            try newest.keys.applying(change, now: now)
                        })
                    else { throw .tooManyRetired }
                    if try add(keys, number: newest.number + 1) {
                        return keys
                    }
                }
            }
        }

        private func newestOrNew() throws(KeyStoreError.Reason) -> (number: Int, keys: DeviceKeySet) {
            while true {
                if let number = try newestNumber() { return (number, try read(number)) }
                let keys = try withResources { () throws(SodiumError) in try DeviceKeySet.generate(for: device) }
                if try add(keys, number: 1) { return (1, keys) }
            }
        }

        // MARK: Items

        private func query(_ attributes: [CFString: Any]) -> CFDictionary {
            var query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecUseDataProtectionKeychain: true,
            ]
            query.merge(attributes) { _, new in new }
            return query as CFDictionary
        }

        private func account(_ number: Int) -> String { "\(device)#\(number)" }

        /// `SecItemCopyMatching` of all items' attributes; `nil` if there is none of this device.
        private func newestNumber() throws(KeyStoreError.Reason) -> Int? {
            var found: CFTypeRef?
            let status = unsafe SecItemCopyMatching(
                query([kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]), &found)
            guard status != errSecItemNotFound else { return nil }
            guard status == errSecSuccess, let items = found as? [[CFString: Any]] else { throw .keychain(status) }
            return items.compactMap { item in
                let parts = (item[kSecAttrAccount] as? String)?.split(separator: "#") ?? []
                return parts.count == 2 && parts[0] == device.description ? Int(parts[1]) : nil
            }.max()
        }

        /// `SecItemCopyMatching` of one item's data.
        private func read(_ number: Int) throws(KeyStoreError.Reason) -> DeviceKeySet {
            var found: CFTypeRef?
            let status = unsafe SecItemCopyMatching(
                query([kSecAttrAccount: account(number), kSecReturnData: true]), &found)
            guard status == errSecSuccess, let data = found as? Data else { throw .keychain(status) }
            guard data.count <= KeyFile.maximumLength else { throw .tooLarge }
            var file = Array(data)
            defer { wipe(&file) }
            return try KeyFile.decode(file, of: device, with: nil)
        }

        /// `SecItemAdd`; `false` if there is an item with this number.
        private func add(_ keys: DeviceKeySet, number: Int) throws(KeyStoreError.Reason) -> Bool {
            var file = try withResources { () throws(SodiumError) in try KeyFile.encode(keys, .ownership) }
            defer { wipe(&file) }
            let status = unsafe SecItemAdd(
                query([
                    kSecAttrAccount: account(number), kSecValueData: Data(file),
                    kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                ]), nil)
            guard status != errSecDuplicateItem else { return false }
            guard status == errSecSuccess else { throw .keychain(status) }
            return true
        }

        private func namingPlace<Result>(
            _ body: () throws(KeyStoreError.Reason) -> Result
        ) throws(KeyStoreError) -> Result {
            do throws(KeyStoreError.Reason) {
                return try body()
            } catch {
                throw KeyStoreError(reason: error, place: "\(service) \(device)")
            }
        }
    }
#endif
