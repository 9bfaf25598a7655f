import Platform
import Synchronization
import Testing

@Suite("The service manager")
struct ServiceManagerTests {
    @Test("hears each notice as one datagram, by a path and by an abstract name", arguments: [false, true])
    func notices(isAbstract: Bool) throws {
        let socket = try NotifySocket(isAbstract: isAbstract)
        let manager = try #require(ServiceManager(["NOTIFY_SOCKET": socket.name]))
        for notice in [ServiceManager.Notice.ready, .alive, .stopping] {
            #expect(manager.send(notice))
            #expect(socket.receive() == notice.rawValue)
        }
    }

    @Test("that is gone hears nothing, and the process goes on")
    func gone() throws {
        let name = try NotifySocket(isAbstract: false).name
        let manager = try #require(ServiceManager(["NOTIFY_SOCKET": name]))
        #expect(!manager.send(.ready))
    }

    @Test(
        "is none where the environment names no Unix socket that fits",
        arguments: [
            nil, "", "/", "@", "run/notify", "vsock:2:1234", "/" + String(repeating: "n", count: 107),
        ])
    func nobody(name: String?) {
        #expect(ServiceManager(name.map { ["NOTIFY_SOCKET": $0] } ?? [:]) == nil)
    }

    @Test(
        "watches where it says how long and means this process",
        arguments: [
            (["WATCHDOG_USEC": "120000000"], .seconds(120)),
            (["WATCHDOG_USEC": "1", "WATCHDOG_PID": "77"], .microseconds(1)),
            (["WATCHDOG_USEC": "1", "WATCHDOG_PID": "78"], nil), (["WATCHDOG_USEC": "0"], nil),
            (["WATCHDOG_USEC": "-5"], nil), (["WATCHDOG_USEC": "99999999999999999999"], nil),
            (["WATCHDOG_USEC": "soon"], nil), ([:], nil),
        ] as [([String: String], Duration?)])
    func watchdog(environment: [String: String], interval: Duration?) throws {
        let environment = environment.merging(["NOTIFY_SOCKET": "@parley"]) { $1 }
        let manager = try #require(ServiceManager(environment))
        #expect(manager.watchdogInterval == interval)
    }

    @Test("hears again and again that the process works, and nothing once it does not", .timeLimit(.minutes(1)))
    func alive() async throws {
        let socket = try NotifySocket(isAbstract: false)
        let manager = try #require(ServiceManager(["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "40000"]))
        let questions = Questions()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await manager.keepAlive { within in
                    #expect(within == .milliseconds(20))
                    return questions.count.add(1, ordering: .relaxed).newValue <= 3
                }
            }
            while questions.count.load(ordering: .relaxed) < 6 { await Task.yield() }
            group.cancelAll()
        }
        for _ in 1...3 { #expect(socket.receive() == "WATCHDOG=1") }
        #expect(socket.receive() == nil)
    }
}

extension ServiceManager {
    fileprivate init?(_ environment: [String: String]) {
        self.init(process: 77) { environment[$0] }
    }
}

private final class Questions: Sendable {
    let count = Atomic(0)
}

/// What a service manager listens on.
private final class NotifySocket: Sendable {
    /// As in `NOTIFY_SOCKET`.
    let name: String
    private let descriptor: Int32

    init(isAbstract: Bool) throws {
        name = "\(isAbstract ? "@" : "/tmp/")notify-\(UInt64.random(in: 0 ... .max))"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = isAbstract ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1))
        let code = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, size) }
        }
        guard code == 0 else { throw SystemError(call: "bind", errno: errno) }
    }

    deinit {
        close(descriptor)
        if name.hasPrefix("/") { unsafe unlink(name) }
    }

    /// The next datagram that has come; `nil` if there is none.
    func receive() -> String? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        }
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
