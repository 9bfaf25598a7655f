/// The service manager that has started this process and waits to hear from it: `sd_notify(3)` of systemd, and whoever
/// else sets `NOTIFY_SOCKET`.
package struct ServiceManager: Sendable {
    package enum Notice: String, Sendable {
        /// The service does its work: what is ordered after it may start.
        case ready = "READY=1"
        /// The service ends itself.
        case stopping = "STOPPING=1"
        /// The watchdog's time begins anew.
        case alive = "WATCHDOG=1"
    }

    /// A path in the file system, or a name behind a zero byte (`unix(7)`, abstract sockets).
    private let socketName: [UInt8]
    /// How long the manager hears nothing before it ends this process; `nil` where it does not watch.
    package let watchdogInterval: Duration?

    /// - Parameters:
    ///   - variable: the process's environment.
    ///   - process: the id of this process. The manager may watch another one.
    /// - Returns: `nil` where nobody waits.
    package init?(
        process: pid_t = getpid(), variable: (String) -> String? = ServiceManager.environmentVariable
    ) {
        guard let name = variable("NOTIFY_SOCKET"), let socketName = ServiceManager.socketName(name) else { return nil }
        self.socketName = socketName
        let isMeant = variable("WATCHDOG_PID").map { $0 == "\(process)" } ?? true
        let microseconds = variable("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
        watchdogInterval = isMeant && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// Sends a notice in one datagram. It waits for room in the manager's queue, as `sd_notify` does.
    ///
    /// - Returns: whether it was sent.
    @discardableResult
    package func send(_ notice: Notice) -> Bool {
        DatagramSocket.send(Array(notice.rawValue.utf8), to: socketName)
    }

    /// Sends `alive` four times in each of the watchdog's intervals at which `isAlive` says so, until the task is
    /// cancelled. Where the manager does not watch, it only waits for that.
    package func keepAlive(while isAlive: @Sendable (_ within: Duration) async -> Bool) async {
        while !Task.isCancelled {
            if let watchdogInterval, await isAlive(watchdogInterval / 2) { send(.alive) }
            try? await Task.sleep(for: watchdogInterval.map { $0 / 4 } ?? .seconds(3600))
        }
    }

    /// `getenv`
    package static func environmentVariable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// Names of other kinds, and those that do not fit, are nobody's.
    private static func socketName(_ name: String) -> [UInt8]? {
        let bytes = Array(name.utf8)
        guard let first = bytes.first, bytes.count > 1, bytes.count <= DatagramSocket.longestName else { return nil }
        switch first {
        case UInt8(ascii: "/"): return bytes
        case UInt8(ascii: "@"): return [0] + bytes.dropFirst()
        default: return nil
        }
    }
}
