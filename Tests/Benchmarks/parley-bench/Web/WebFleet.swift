import MQTTWire
import GatewaySite
import Platform
import ParleyBridge
import ParleyProtocol

/// Apps at the door on one thread: some ask over HTTP, each on a connection of its own with a token of its own, and
/// others listen on WebSockets.
///
/// It shares the machine with what it measures, so it reads at most every 0.2 ms: times are that much too long.
final class WebFleet {
    enum Work {
        case post, page
    }

    /// An app that asks: one request at a time.
    private struct App {
        var template: PostTemplate
        let page: [UInt8]
        /// The request without a response, when it was due, and the number of the message that it posts.
        var underway: (work: Work, due: Int64, number: MessageNumber?)?
    }

    private let population: WebPopulation
    private let port: UInt16
    private let stop: StopFlag
    /// The apps that ask, and those that listen to them in the same order; then those that hear nothing.
    private var sockets: [DeviceSocket] = []
    private var near: [pollfd] = []
    private var far: [pollfd] = []
    private var input = [UInt8](repeating: 0, count: 1 << 20)
    private var apps: [App] = []
    private var established: Set<Int> = []
    private var nextFarSweep: Int64 = 0
    private var lastSweep: Int64 = 0

    /// Apps that may ask, the one that has waited longest first.
    private(set) var idle: [Int] = []
    private(set) var ledger = Ledger(run: 0, senders: 0, listeners: 0, listenersEach: 0)
    /// Of each run, how many messages were posted in each conversation.
    private(set) var posted: [Int: [Int]] = [:]
    private(set) var outcome = WebOutcome()
    private var measuredFrom = Int64.max
    private var runs = 0

    private static let leastSweep: Int64 = 200_000
    /// Between looks at those that hear nothing but pings.
    private static let farPause: Int64 = 250_000_000
    /// WebSockets that are opened at once.
    private static let openingAtOnce = 50

    init(_ population: WebPopulation, port: UInt16, stop: StopFlag) throws {
        (self.population, self.port, self.stop) = (population, port, stop)
        for group in population.talking {
            try add(to: &near)
            idle.append(apps.count)
            apps.append(
                App(
                    template: PostTemplate(group.seats[0], group.id), page: WebRequests.page(group.seats[0], group.id)))
        }
    }

    deinit { for socket in sockets { Socket.close(socket.descriptor) } }

    private func add(to entries: inout [pollfd]) throws {
        let socket = try DeviceSocket(toLoopbackPort: port)
        sockets.append(socket)
        entries.append(pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0))
    }

    /// Opens the WebSockets; those that listen to a conversation first.
    func openSockets(_ count: Int) throws {
        let seats = (population.talking.map { $0.seats[1] } + population.quiet).prefix(count)
        for (number, seat) in seats.enumerated() {
            if number < apps.count { try add(to: &near) } else { try add(to: &far) }
            let index = apps.count + number
            sockets[index].output = WebRequests.socket(seat)
            _ = try sockets[index].flush()
            guard number % Self.openingAtOnce == Self.openingAtOnce - 1 || number == seats.count - 1 else { continue }
            try sweep(until: { self.established.count == number + 1 }, what: "connection.established")
        }
    }
}

// MARK: Requests

extension WebFleet {
    /// Begins a run.
    ///
    /// - Parameter begin: from when on times are noted, in nanoseconds of the monotonic clock.
    func begin(measuredFrom begin: Int64) {
        runs += 1
        (measuredFrom, outcome) = (begin, WebOutcome())
        let listens = established.isEmpty ? 1 : 2
        ledger = Ledger(
            run: runs, senders: apps.count, listeners: apps.count * 2, listenersEach: listens)
    }

    /// Has the app that has waited longest ask.
    ///
    /// - Returns: whether there is one.
    func ask(_ work: Work, due: Int64) throws -> Bool {
        guard let index = idle.first else { return false }
        idle.removeFirst()
        var number: MessageNumber?
        switch work {
        case .page: sockets[index].output = apps[index].page
        case .post:
            number = ledger.send(index, dueAt: due)
            guard let number else { throw LoadError.missing("event") }
            posted[runs, default: [Int](repeating: 0, count: apps.count)][index] += 1
            apps[index].template.prepare(number, milliseconds: Timestamp.systemNow.milliseconds)
            sockets[index].output = apps[index].template.bytes
        }
        apps[index].underway = (work, due, number)
        if try !sockets[index].flush() { near[index].events = Int16(POLLIN | POLLOUT) }
        return true
    }

    private func take(_ response: HTTPResponse, at index: Int) throws {
        guard let (work, due, number) = apps[index].underway else { throw HTTPResponse.Malformed.response }
        apps[index].underway = nil
        idle.append(index)
        let now = MonotonicTime.now
        let isMeasured = due >= measuredFrom
        switch (work, response.status, number) {
        case (.post, 201, let number?):
            // `{"id":"…"`, wherever in the response.
            guard let idAt = idOffset(in: response.body) else { return refuse(response) }
            let answered = MessageNumber(parsing: input, at: idAt)
            guard answered == number else { return refuse(response) }
            deliver(answered, to: apps.count + index, of: index)
            if isMeasured { outcome.posts.append(now - due) }
        case (.page, 200, _):
            guard response.body.count > WebRequests.pageItems * RequestTemplate.ciphertextBytes else {
                return refuse(response)
            }
            if isMeasured { outcome.pages.append(now - due) }
        default: refuse(response)
        }
    }

    private static let idName = Array(#""id":""#.utf8)

    private func idOffset(in body: Range<Int>) -> Int? {
        let name = Self.idName
        guard body.count > name.count + 36 else { return nil }
        for start in body.lowerBound..<(body.upperBound - name.count - 36)
        where input[start + 1] == name[1] && input[start] == name[0] {
            if input[start..<(start + name.count)].elementsEqual(name) { return start + name.count }
        }
        return nil
    }

    private func refuse(_ response: HTTPResponse) {
        ledger.faults.refuse("\(response.status) \(String(decoding: input[response.body].prefix(300), as: UTF8.self))")
    }

    private func deliver(_ number: MessageNumber, to listener: Int, of conversation: Int) {
        guard let due = ledger.deliver(number, to: listener, of: conversation), due >= measuredFrom else { return }
        outcome.deliveries.append(MonotonicTime.now - due)
    }
}

// MARK: The loop

extension WebFleet {
    func sweep(until isDone: () -> Bool, what: String) throws {
        let deadline = MonotonicTime.now + 60_000_000_000
        while !isDone() {
            guard MonotonicTime.now < deadline else { throw LoadError.missing(what) }
            try sweep(wait: SocketFleet.longestWait)
        }
    }

    /// Waits for what can be read, and reads all of it.
    func sweep(wait nanoseconds: Int64) throws {
        if stop.isRaised { throw LoadError.interrupted }
        let pause = lastSweep + Self.leastSweep - MonotonicTime.now
        if pause > 10_000 { usleep(UInt32(pause / 1000)) }
        lastSweep = MonotonicTime.now
        if lastSweep >= nextFarSweep || established.count < sockets.count - apps.count {
            nextFarSweep = lastSweep + Self.farPause
            if try !far.isEmpty && Socket.poll(&far, milliseconds: 0) > 0 {
                for index in far.indices where far[index].revents != 0 { try read(near.count + index) }
            }
        }
        guard try Socket.poll(&near, nanoseconds: nanoseconds) > 0 else { return }
        for index in near.indices where near[index].revents != 0 {
            if near[index].revents & Int16(POLLOUT) != 0, try sockets[index].flush() {
                near[index].events = Int16(POLLIN)
            }
            if near[index].revents & ~Int16(POLLOUT) != 0 { try read(index) }
        }
    }

    private func read(_ index: Int) throws {
        let end = try sockets[index].read(into: &input)
        var position = 0
        if index < apps.count {
            while let response = try HTTPResponse.next(in: input, from: position, to: end) {
                position = response.body.upperBound
                try take(response, at: index)
            }
        } else {
            if !established.contains(index), end > 0, input[0] == UInt8(ascii: "H") {
                guard let response = try HTTPResponse.next(in: input, from: 0, to: end) else {
                    return sockets[index].keep(input[0..<end])
                }
                guard response.status == 101 else { throw LoadError.rejected("\(response.status) at /ws") }
                position = response.body.upperBound
            }
            while let frame = SocketFrame.next(in: input, from: position, to: end) {
                position = frame.payload.upperBound
                try take(frame, at: index)
            }
        }
        if position < end { sockets[index].keep(input[position..<end]) }
    }

    private func take(_ frame: SocketFrame, at index: Int) throws {
        switch frame.kind {
        case .ping:
            sockets[index].output = SocketFrame.pong
            _ = try sockets[index].flush()
        case .text:
            if let idAt = DeliveryForm.idOffset(in: input, payload: frame.payload, isReply: false) {
                let conversation = index - apps.count
                deliver(MessageNumber(parsing: input, at: idAt), to: conversation, of: conversation)
            } else {
                established.insert(index)
            }
        case .close: throw LoadError.rejected("the close of a WebSocket")
        case .other: break
        }
    }

    /// Waits for the responses and events under way, and counts those that do not come as lost.
    func settle() throws -> Faults {
        let deadline = MonotonicTime.now + 10_000_000_000
        while idle.count < apps.count || ledger.underway > 0, MonotonicTime.now < deadline {
            try sweep(wait: SocketFleet.longestWait)
        }
        ledger.close()
        return ledger.faults
    }
}
