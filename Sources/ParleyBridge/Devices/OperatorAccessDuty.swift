import Foundation
import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Renews the credentials of the operator device of the command-line tool before they expire. They lie in the data
/// directory, so that its owner can operate the gateway.
final class OperatorAccessDuty: Duty {
    typealias Wake = Never
    static let failure: Logger.Message = "the operator's credentials could not be renewed"
    static let publishes = true
    static let pauseAfterFailure = pause
    private let directory: DataDirectory
    private let logger: Logger
    private var pace = Pace()
    /// New credentials that are not in the file yet: it gets them when the broker's plugin has been told of the token.
    private var issued: DeviceCredentials?

    private static let pause = Duration.seconds(3600)
    /// A token that ends sooner than this is renewed.
    private static let leastLifetime = Duration.days(7)

    /// - Parameter moment: of the start, which carries out the first part by itself.
    init(_ directory: DataDirectory, logger: Logger, at moment: Moment) {
        (self.directory, self.logger) = (directory, logger)
        pace.rest(for: Self.pause, from: moment.steady)
    }

    func wait(at moment: Moment) -> Duration? { pace.wait(until: moment.steady, now: moment.steady) }

    /// Makes the device and its token if they are missing, do not fit the file, or expire soon.
    ///
    /// - Returns: the new credentials, for `save` after the COMMIT: a crash between leaves a file that does not fit,
    ///   and the next start makes both anew.
    func run(in batch: Batch) throws(StoreError) -> DeviceCredentials? {
        guard issued == nil else { return nil }
        let address = DeviceAddress.operatorConsole
        let device = try batch.device(address)
        let isFitting = device.map(fits) ?? false
        if let device, isFitting, batch.now.duration(to: device.expiresAt) > Self.leastLifetime { return nil }
        let route = ReplyRoute.unasked(address)
        let (deciding, applying) = (DecisionContext(route, batch), ApplyContext(route, batch))
        switch try batch.facts().users.role(of: address.user) {
        case .operator: break
        case .member: throw .inconsistent(.operatorIsMember)
        case nil:
            try applying.transaction.users.insert(
                address.user, role: .operator, displayName: "Operator", at: batch.now)
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

    func recordCommitted(_ credentials: DeviceCredentials?, at moment: Moment) {
        let due = issued
        issued = credentials
        // With new credentials the next part, which saves them, is due at once.
        guard issued == nil else { return }
        pace.rest(for: Self.pause, from: moment.steady)
        do throws(DataDirectoryError) {
            try save(due)
        } catch {
            logger.warning(Self.failure, metadata: ["reason": "\(error)"])
        }
    }

    func recordFailure(at moment: Moment) { pace.rest(for: Self.pause, from: moment.steady) }

    func save(_ credentials: DeviceCredentials?) throws(DataDirectoryError) {
        guard let credentials else { return }
        let address = DeviceAddress.operatorConsole
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
