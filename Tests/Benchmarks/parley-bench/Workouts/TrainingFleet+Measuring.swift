import MQTTWire
import GatewaySite
import ParleyBridge
import ParleyProtocol

// MARK: Measuring

extension TrainingFleet {
    /// Replies a second in a closed loop; the devices take turns.
    ///
    /// - Parameter edge: called where the measured time begins and ends.
    /// - Returns: replies, and in how many seconds.
    func throughput(
        _ work: Work, seconds: Double, at edge: (MeasuredEdge) -> Void
    ) throws -> (replies: Int, seconds: Double) {
        self.work = work
        for _ in 0..<work.underway { sendNext(work) }
        let begun = MonotonicTime.now
        let (measureAt, end) = (begun + 1_000_000_000, begun + 1_000_000_000 + Int64(seconds * 1e9))
        while MonotonicTime.now < measureAt { try sweep(wait: Self.pause) }
        edge(.begin)
        let (first, from) = (replies, MonotonicTime.now)
        while MonotonicTime.now < end { try sweep(wait: Self.pause) }
        let result = (replies - first, Double(MonotonicTime.now - from) / 1e9)
        edge(.end)
        self.work = nil
        try settle()
        return result
    }

    /// So many workouts and messages a second, each of another group in turn.
    ///
    /// - Parameter isOver: asked again and again, whether to end before the time.
    func latencies(
        workouts: Int, messages: Int, seconds: Double, unless isOver: () throws -> Bool = { false }
    ) throws -> Latencies {
        latencies = Latencies()
        let begun = MonotonicTime.now
        let end = begun + Int64(seconds * 1e9)
        var (logged, messaged) = (0, 0)
        func due(_ count: Int, _ rate: Int) -> Int64 {
            rate == 0 ? .max : begun + Int64(Double(count) / Double(rate) * 1e9)
        }
        while MonotonicTime.now < end, try !isOver() {
            let now = MonotonicTime.now
            if due(logged, workouts) <= now {
                let index = senders[logged % senders.count]
                loggedAt[devices[index].group].append(due(logged, workouts))
                send(.log, index)
                logged += 1
            }
            if due(messaged, messages) <= now {
                messagedAt[messaged % groups.count].append(due(messaged, messages))
                sendMessage(in: messaged % groups.count)
                messaged += 1
            }
            let next = min(due(logged, workouts), due(messaged, messages), MonotonicTime.now + Self.pause)
            try sweep(wait: max(0, next - MonotonicTime.now))
        }
        try settle()
        latencies.lost = messagedAt.reduce(0) { $0 + $1.count }
        for index in groups.indices { (loggedAt[index], messagedAt[index]) = ([], []) }
        return Latencies(
            boards: latencies.boards.sorted(), messages: latencies.messages.sorted(), lost: latencies.lost)
    }

    /// One request after the other, each of another group.
    ///
    /// - Returns: from each request to its reply, in nanoseconds and ascending.
    func alone(_ work: Work, count: Int) throws -> [Int64] {
        var times: [Int64] = []
        for number in 0..<count {
            let (before, from) = (replies, MonotonicTime.now)
            send(work, senders[number % senders.count])
            try sweep(until: { self.replies > before }, what: "a reply")
            times.append(MonotonicTime.now - from)
        }
        return times.sorted()
    }

    /// Asks for the board of the last group.
    func askLast() { if let index = devices.lastIndex(where: { !$0.isListener }) { send(.get, index) } }

    /// Whether the last reply is a board of a week.
    func hasBoard(of week: ISOWeek) -> Bool {
        String(decoding: lastReply, as: UTF8.self).contains("\"week\":\"\(week)\"")
    }

    /// Forgets that there was no board of the week yet.
    func forgetMissingBoards() { refusals.removeAll { $0.contains("There is no board") } }

    /// Waits for the replies under way.
    private func settle() throws {
        let end = MonotonicTime.now + 1_500_000_000
        while MonotonicTime.now < end { try sweep(wait: Self.pause) }
    }

    func sendNext(_ work: Work) {
        send(work, senders[turn % senders.count])
        turn += 1
    }

    private func send(_ work: Work, _ index: Int) {
        let group = groups[devices[index].group]
        let payload: [UInt8]
        switch work {
        case .log:
            guard devices[index].workouts < Self.mostWorkouts else {
                refusals.append("a device has logged as much as it may in a day: more groups, or fewer seconds")
                return
            }
            devices[index].workouts += 1
            let request = LogWorkout(id: .random(), completedAt: .systemNow, timeZone: "UTC", kind: "run", minutes: 30)
            payload = request.payload()
        case .get: payload = GetLeaderboard(group: group.id, type: .checkIns).payload()
        }
        let address = group.seats[devices[index].place].address
        devices[index].packet = devices[index].packet % 60_000 + 1
        let topic = "\(Topic.prefix)up/\(address.user)/\(address.device)/\(work.rawValue)"
        do {
            let packet = try PacketWriter.publish(topic: topic, payload: payload, packet: devices[index].packet)
            send(packet.bytes, by: index)
        } catch {
            refusals.append("PUBLISH: \(error)")
        }
    }

    private func sendMessage(in group: Int) {
        guard let index = senders.first(where: { devices[$0].group == group && devices[$0].place == 0 }) else { return }
        messageCount += 1
        templates[group].prepare(
            MessageNumber(sender: group & 0xFFF, run: 1, count: messageCount),
            milliseconds: Timestamp.systemNow.milliseconds)
        send(templates[group].bytes, by: index)
    }
}
