import MQTTWire
import GatewaySite
import Platform
import ParleyBridge
import ParleyProtocol

/// The devices of groups that train: all but the last of each group log, ask and send; the last one
/// listens to the board and to the messages.
final class TrainingFleet: SocketFleet {
    struct Device {
        let group: Int
        let place: Int
        let isListener: Bool
        var packet: UInt16 = 0
        var workouts = 0
    }

    /// A measured request.
    enum Work: String, CaseIterable {
        case log = "workouts/log"
        case get = "leaderboards/get"

        /// Requests under way at once in a closed loop; of more, the gateway refuses some.
        var underway: Int {
            switch self {
            case .log: 500
            case .get: 200
            }
        }
    }

    /// How long things took, in nanoseconds and ascending.
    struct Latencies {
        /// From a workout to the board at the one who listens.
        var boards: [Int64] = []
        /// From a message to the one who listens.
        var messages: [Int64] = []
        /// Messages that have not come within a second after the last was sent.
        var lost = 0
    }

    /// More of a day are refused.
    static let mostWorkouts = 95

    let groups: [TrainingGroups.Group]
    var devices: [Device] = []
    var senders: [Int] = []
    var templates: [RequestTemplate] = []
    var messageCount = 0

    // Of the run under way.
    var work: Work?
    /// How many requests were made in it.
    var turn = 0
    var replies = 0
    var refusals: [String] = []
    var latencies = Latencies()
    /// By group, when that was sent which has not come yet, the earliest first.
    var loggedAt: [[Int64]]
    var messagedAt: [[Int64]]
    var lastReply: [UInt8] = []
    /// Whether a member of the last group was notified that the week has ended: groups are notified in their order.
    private(set) var isLastNotified = false

    /// Connects the devices of each group.
    init(_ groups: [TrainingGroups.Group], port: UInt16, stop: StopFlag) throws {
        self.groups = groups
        loggedAt = [[Int64]](repeating: [], count: groups.count)
        messagedAt = loggedAt
        super.init(port: port, inputBytes: 1 << 20, stop: stop)
        for (index, group) in groups.enumerated() {
            for (place, seat) in group.seats.enumerated() {
                try connect(seat)
                devices.append(Device(group: index, place: place, isListener: place == group.seats.count - 1))
            }
            // The broker's listen queue is short.
            try awaitConnected()
            templates.append(
                try RequestTemplate(
                    sender: group.seats[0].address, conversation: ConversationID(of: group.id), form: .event))
        }
        senders = devices.indices.filter { !devices[$0].isListener }.sorted { devices[$0].place < devices[$1].place }
        for (index, device) in devices.enumerated() {
            let group = groups[device.group]
            let address = group.seats[device.place].address
            let notifications = device.group == groups.count - 1 && device.place == 0
            let filters =
                device.isListener
                ? [Topic.group(group.id, .checkIns), .conversation(ConversationID(of: group.id), .messages)].map(\.name)
                : ["\(Topic.prefix)down/\(address.user)/\(address.device)/#"]
                    + (notifications ? [Topic.user(address.user, .notifications).name] : [])
            try subscribe(index, to: filters)
        }
        try awaitSubscribed()
    }

    /// Shorter than that of a load of messages: workouts and messages are due by the clock.
    static let pause: Int64 = 10_000_000

    override func refuse(_ reason: String) { refusals.append(reason) }

    override func deliver(topic: Range<Int>, payload: Range<Int>, to index: Int) {
        switch (devices[index].isListener, input[topic.lowerBound + Topic.prefix.utf8.count]) {
        case (true, let area): hear(isBoard: area == UInt8(ascii: "g"), devices[index].group)
        case (false, UInt8(ascii: "u")): isLastNotified = true
        case (false, _): answer(payload)
        }
    }

    /// A board or a message at the one who listens.
    private func hear(isBoard: Bool, _ group: Int) {
        if isBoard {
            // A board has all that was logged before it.
            latencies.boards += loggedAt[group].map { MonotonicTime.now - $0 }
            loggedAt[group] = []
        } else if !messagedAt[group].isEmpty {
            latencies.messages.append(MonotonicTime.now - messagedAt[group].removeFirst())
        }
    }

    private func answer(_ payload: Range<Int>) {
        replies += 1
        let reply = input[payload]
        if reply.prefix(40).firstRange(of: Array(#""ok":false"#.utf8)) != nil {
            refusals.append(String(decoding: reply, as: UTF8.self))
        }
        if let work { sendNext(work) } else { lastReply = Array(reply) }
    }
}
