import Foundation
import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// A device that the gateway makes itself, whose credentials are in the data directory.
struct ReservedDevice {
    let address: DeviceAddress
    let role: UserRole
    let displayName: String

    /// - Parameter cell: of the gateway among several, each of which has devices of its own.
    private init(_ name: DeviceAddress, cell: Int?, _ role: UserRole, _ displayName: String) {
        address = cell.map { name.inCell($0) } ?? name
        self.role = role
        self.displayName = displayName
    }

    /// By the first the owner of the data directory operates the gateway, by the second the web doors of this machine
    /// sign people in.
    static func all(cell: Int?) -> [ReservedDevice] {
        [
            ReservedDevice(.operatorConsole, cell: cell, .operator, "Operator"),
            ReservedDevice(.webDoor, cell: cell, .door, "Web door"),
        ]
    }
}

extension DeviceAddress {
    /// The same device of the gateway with this number.
    fileprivate func inCell(_ cell: Int) -> DeviceAddress {
        DeviceID("\(device.text)-\(cell)").map { DeviceAddress(user: user, device: $0) } ?? self
    }
}

/// Makes the devices of the gateway's own, and renews their credentials before they expire.
final class ReservedDevicesDuty: Duty {
    /// New credentials of devices.
    typealias Done = [DeviceAddress: DeviceCredentials]
    typealias Wake = Never
    static let failure: Logger.Message = "the credentials of the gateway's own devices could not be renewed"
    static let sharedWork: SharedWork? = nil
    static let publishes = true
    static let pauseAfterFailure = pause
    private let directory: DataDirectory
    private let devices: [ReservedDevice]
    private let logger: Logger
    private var pace = Pace()
    /// New credentials that are not in their files yet: those get them when the broker's plugin has been told of the
    /// tokens.
    private var issued: Done = [:]

    private static let pause = Duration.seconds(3600)
    /// A token that ends sooner than this is renewed.
    private static let leastLifetime = Duration.days(7)

    /// - Parameters:
    ///   - cell: of the gateway among several.
    ///   - moment: of the start, which carries out the first part by itself.
    init(_ directory: DataDirectory, cell: Int? = nil, logger: Logger, at moment: Moment) {
        (self.directory, self.logger) = (directory, logger)
        devices = ReservedDevice.all(cell: cell)
        pace.rest(for: Self.pause, from: moment.steady)
    }

    func wait(at moment: Moment) -> Duration? { pace.wait(until: moment.steady, now: moment.steady) }

    /// Makes each device and its token if they are missing, do not fit the file, or expire soon.
    ///
    /// - Returns: the new credentials, for `save` after the COMMIT: a crash between leaves a file that does not fit,
    ///   and the next start makes both anew.
    func run(in batch: Batch) throws(StoreError) -> Done {
        guard issued.isEmpty else { return [:] }
        var credentials: Done = [:]
        for device in devices { credentials[device.address] = try renew(device, in: batch) }
        return credentials
    }

    private func renew(_ reserved: ReservedDevice, in batch: Batch) throws(StoreError) -> DeviceCredentials? {
        let address = reserved.address
        let device = try batch.device(address)
        let isFitting = device.map(fits) ?? false
        if let device, isFitting, batch.now.duration(to: device.expiresAt) > Self.leastLifetime { return nil }
        let route = ReplyRoute.unasked(address)
        let (deciding, applying) = (DecisionContext(route, batch), ApplyContext(route, batch))
        let role = try batch.facts().users.role(of: address.user)
        if role == nil {
            try applying.transaction.users.insert(
                address.user, role: reserved.role, displayName: reserved.displayName, at: batch.now)
        } else if role != reserved.role {
            guard reserved.role == .door else { throw .inconsistent(.operatorIsMember) }
            // An installation of before the door may have given the id to somebody.
            logger.error(
                "there can be no web door: its user id is somebody's", metadata: ["user": "\(address.user)"])
            return nil
        }
        guard let deviceRole = reserved.role.deviceRole else { return nil }
        do {
            let issue = try TokenIssue(
                to: address, role: deviceRole, days: nil, isFitting ? .renewal : .anew(by: nil), in: deciding)
            try applying.issue(issue)
            return issue.credentials
        } catch {
            throw StoreError(error)
        }
    }

    func recordCommitted(_ credentials: Done, at moment: Moment) {
        let due = issued
        issued = credentials
        // With new credentials the next part, which saves them, is due at once.
        guard issued.isEmpty else { return }
        pace.rest(for: Self.pause, from: moment.steady)
        do throws(DataDirectoryError) {
            try save(due)
        } catch {
            logger.warning(Self.failure, metadata: ["reason": "\(error)"])
        }
    }

    func recordFailure(at moment: Moment) { pace.rest(for: Self.pause, from: moment.steady) }

    func save(_ credentials: Done) throws(DataDirectoryError) {
        for (address, credentials) in credentials {
            try directory.makeDirectory(directory.directory(of: address))
            var json = JSONWriter()
            credentials.write(to: &json)
            try DataDirectory.write(json.finish() + Array("\n".utf8), to: directory.credentials(of: address))
        }
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
