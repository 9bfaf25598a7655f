import GatewaySite
import Launch

/// How long things took in a run, in nanoseconds, and what they cost.
struct WebOutcome {
    /// From when a POST was due to its response.
    var posts: [Int64] = []
    var pages: [Int64] = []
    /// From when a POST was due until it was answered and heard.
    var deliveries: [Int64] = []
    /// Measured seconds.
    var seconds = 0.0
    var usage = WebUsage()

    var requests: Int { posts.count + pages.count }

    /// The time below which a share of them stayed, in milliseconds.
    static func milliseconds(_ times: [Int64], _ share: Double) -> Double {
        (times.sorted().percentile(share)).map { Double($0) / 1e6 } ?? .nan
    }
}

/// CPU seconds of the processes of a site, and of the measuring one.
struct WebUsage {
    var door = 0.0
    var gateway = 0.0
    var broker = 0.0
    var apps = 0.0

    init() {}

    /// So far.
    init(door: ChildProcess, gateway: ChildProcess, broker: ChildProcess) {
        self.door = ProcessUsage.cpuSeconds(door.identifier)
        self.gateway = ProcessUsage.cpuSeconds(gateway.identifier)
        self.broker = ProcessUsage.cpuSeconds(broker.identifier)
        apps = Double(ThreadTime.now) / 1e9
    }

    static func - (later: WebUsage, earlier: WebUsage) -> WebUsage {
        var used = WebUsage()
        used.door = later.door - earlier.door
        used.gateway = later.gateway - earlier.gateway
        used.broker = later.broker - earlier.broker
        used.apps = later.apps - earlier.apps
        return used
    }
}
