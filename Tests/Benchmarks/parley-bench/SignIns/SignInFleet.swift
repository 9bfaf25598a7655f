import GatewaySite
import MQTTWire
import ParleyProtocol
import Platform

/// The answers to attempts to sign in.
struct SignInOutcome {
    var signedIn = 0
    /// With a wrong password, or an address that nobody has.
    var wrong = 0
    /// The gateway had too much to do.
    var turnedAway = 0
    /// From when an attempt was due to its answer, in nanoseconds.
    var times: [Int64] = []

    var answered: Int { signedIn + wrong + turnedAway }

    static func += (left: inout SignInOutcome, right: SignInOutcome) {
        left.signedIn += right.signedIn
        left.wrong += right.wrong
        left.turnedAway += right.turnedAway
        left.times += right.times
    }
}

/// A web door's connection, by which people sign in at a steady rate.
final class SignInFleet: SocketFleet {
    private let topic: String
    private let members: SignInMembers
    private var packet: UInt16 = 0
    private var sent = 0
    /// By the number that each has as its `request_id`.
    private var due: [Int: Int64] = [:]
    private(set) var outcome = SignInOutcome()
    private(set) var firstFault: String?

    private static let perRight = 10
    private static let patience: Int64 = 60_000_000_000

    init(_ seat: Population.Seat, _ members: SignInMembers, port: UInt16, stop: StopFlag) throws {
        self.members = members
        topic = "\(Topic.prefix)up/\(seat.address.user)/\(seat.address.device)/accounts/sign-in"
        super.init(port: port, inputBytes: 64 << 10, stop: stop)
        try connect(seat)
        try awaitConnected()
        try subscribe(0, to: ["\(Topic.prefix)down/\(seat.address.user)/\(seat.address.device)/#"])
        try awaitSubscribed()
    }

    /// Attempts until `isOver`, and waits for the answers.
    func run(perSecond: Int, until isOver: () -> Bool) throws {
        let begun = MonotonicTime.now
        while !isOver() {
            let next = begun + Int64(Double(sent) / Double(perSecond) * 1e9)
            if next <= MonotonicTime.now {
                try attempt(due: next)
            } else {
                try sweep(wait: min(next - MonotonicTime.now, SocketFleet.longestWait))
            }
        }
        let deadline = MonotonicTime.now + Self.patience
        while !due.isEmpty, MonotonicTime.now < deadline { try sweep(wait: SocketFleet.longestWait) }
        if !due.isEmpty { fault("no answer to \(due.count) attempts") }
    }

    private func attempt(due time: Int64) throws {
        let number = sent
        sent += 1
        let isRight = number % Self.perRight == 0
        let email =
            isRight ? members.emails[number / Self.perRight % members.emails.count] : "nobody-\(number)@example.com"
        let network = "10.\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255)"
        let password = isRight ? SignInMembers.password : "not the password"
        let payload =
            #"{"id":"\#(AccountRequestID.random())","request_id":"\#(number)","address":"\#(network)","#
            + #""email":"\#(email)","password":"\#(password)","device_id":"app"}"#
        due[number] = time
        let publish = try PacketWriter.publish(topic: topic, payload: Array(payload.utf8))
        packet = packet == .max ? 1 : packet + 1
        var bytes = publish.bytes
        bytes[publish.identifierAt] = UInt8(packet >> 8)
        bytes[publish.identifierAt + 1] = UInt8(packet & 0xFF)
        send(bytes, by: 0)
        try sweep(wait: 0)
    }

    // MARK: Answers

    override func refuse(_ reason: String) { fault(reason) }

    override func deliver(topic: Range<Int>, payload: Range<Int>, to index: Int) {
        let text = String(decoding: input[payload], as: UTF8.self)
        guard let reply = try? JSONObject(parsing: Array(input[payload])),
            let number = (try? reply.text("request_id", maximum: 20)).flatMap({ Int($0) }),
            let time = due.removeValue(forKey: number)
        else { return fault(text) }
        outcome.times.append(MonotonicTime.now - time)
        switch (try? reply.object("error")).flatMap({ try? $0.text("code", maximum: 40) }) {
        case nil: outcome.signedIn += 1
        case "unauthenticated"?: outcome.wrong += 1
        case "rate_limited"?: outcome.turnedAway += 1
        case _?: fault(text)
        }
    }

    private func fault(_ text: String) { firstFault = firstFault ?? String(text.prefix(300)) }
}
