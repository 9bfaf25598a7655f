import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import ParleyProtocol

/// The access token of the door's own device, from the gateway's file. The gateway renews it, so the file is read again
/// while the token is in use.
final class DoorToken: Sendable {
    private struct State {
        var token: SessionToken?
        var readAt: NIODeadline?
        var isRefused = false
        var isReadable = true
    }

    private let readFile: @Sendable () -> [UInt8]?
    private let logger: Logger
    private let state = NIOLockedValueBox(State())

    /// How long the file's contents are used before it is read again.
    private static let lifetime = TimeAmount.seconds(1)

    /// - Parameter readFile: may wait for the disk.
    init(logger: Logger, _ readFile: @escaping @Sendable () -> [UInt8]?) {
        (self.logger, self.readFile) = (logger, readFile)
    }

    /// Reads the file for the first requests. A gateway that starts beside the door may write it a moment later.
    func prepare() async {
        let token = await read()
        state.withLockedValue { $0.token = token }
    }

    /// `nil` while there is no file with a door's token.
    func current() async -> SessionToken? {
        let now = NIODeadline.now()
        let isStale = state.withLockedValue { state in
            // Meanwhile other requests use the previous token.
            if let readAt = state.readAt, now < readAt + DoorToken.lifetime { return false }
            state.readAt = now
            return true
        }
        guard isStale else { return state.withLockedValue { $0.token } }
        let token = await read()
        let wasReadable = state.withLockedValue { state in
            defer { (state.token, state.isReadable) = (token, token != nil) }
            return state.isReadable
        }
        if wasReadable, token == nil {
            logger.warning("nobody can sign in: the file of --accounts has no credentials of a door's device")
        }
        return token
    }

    /// Logs the first refusal of several.
    func recordRefusal() {
        let isFirst = state.withLockedValue { state in
            defer { state.isRefused = true }
            return !state.isRefused
        }
        guard isFirst else { return }
        logger.warning(
            "nobody can sign in: the broker refuses the door's own device; does it take doors where this one connects?")
    }

    func recordSuccess() { state.withLockedValue { $0.isRefused = false } }

    private func read() async -> SessionToken? {
        let readFile = readFile
        guard let bytes = try? await NIOThreadPool.singleton.runIfActive({ readFile() }),
            let object = try? JSONObject(parsing: bytes), let credentials = try? DeviceCredentials(members: object)
        else { return nil }
        return SessionToken(ofDoor: credentials.password)
    }
}
