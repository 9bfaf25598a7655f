import Foundation
import ParleyProtocol
import ParleyStore

/// The operator device of the command-line tool: its credentials lie in the data directory, so that its owner can
/// operate the gateway.
struct OperatorAccess {
    let directory: DataDirectory

    /// A token that ends sooner than this is renewed.
    private static let leastLifetime = Duration.days(7)

    /// Makes the device and its credentials if they are missing, do not fit each other, or run out soon.
    ///
    /// Committed first, written to the file after: a crash between leaves a file that does not fit, and the next start
    /// makes both anew.
    ///
    /// - Parameter write: carries out a transaction, and publishes its effects.
    func ensure(
        _ store: Store, now: Timestamp,
        write: ((Batch) throws(StoreError) -> DeviceCredentials) throws(StoreError) -> DeviceCredentials
    ) throws {
        let address = DeviceAddress.operatorConsole
        let device = try store.read { try $0.devices.device(address) }
        let isFitting = device.map(fits) ?? false
        if let device, isFitting, now.duration(to: device.expiresAt) > OperatorAccess.leastLifetime { return }
        let route = ReplyRoute.unasked(address)
        let credentials = try write { batch throws(StoreError) in
            let (deciding, applying) = (DecisionContext(route, batch), ApplyContext(route, batch))
            switch try batch.facts().users.role(of: address.user) {
            case .operator: break
            case .member:
                throw .inconsistent(.operatorIsMember)
            case nil:
                try applying.transaction.users.insert(address.user, role: .operator, displayName: "Operator", at: now)
            }
            do {
                let issue = try TokenIssue(
                    to: address, isOperator: true, days: nil, isFitting ? .renewal : .anew(by: nil), in: deciding)
                try applying.issue(issue)
                return issue.credentials
            } catch {
                throw StoreError(error)
            }
        }
        try directory.makeDirectory(directory.directory(of: address))
        var json = JSONWriter()
        credentials.write(to: &json)
        try DataDirectory.write(json.finish() + Array("\n".utf8), to: directory.credentials(of: address))
    }

    /// Whether the file holds the token that the device is known by.
    private func fits(_ device: DeviceState) -> Bool {
        guard let data = FileManager.default.contents(atPath: directory.credentials(of: device.address)),
            let object = try? JSONObject(parsing: Array(data)),
            let password = try? object.text("password", maximum: AccessToken.maximumLength)
        else { return false }
        let bytes = Array(password.utf8)
        return AccessToken(parsing: bytes.span)?.claims.id.value == device.tokenID
    }
}
