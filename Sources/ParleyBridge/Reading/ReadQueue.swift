import ParleyProtocol

/// Reads that wait for a thread: the next is of the user who has had least of the threads' time, and of each of their
/// devices in turn.
///
/// One user's reads never have all threads at once: a page of a user with thousands of conversations takes long, and
/// others must not wait for two of them. Without room, the user with most reads waiting loses one.
struct ReadQueue<Element> {
    private struct Waiting {
        let element: Element
        let weight: Int
    }

    private struct User {
        var devices: [DeviceID: Fifo<Waiting>] = [:]
        /// The devices with reads that wait, in the order of their turns.
        var turns: [DeviceID] = []
        var weight = 0
        /// The number of threads that work for them.
        var underway = 0

        var isIdle: Bool { turns.isEmpty && underway == 0 }
    }

    private var users: [UserID: User] = [:]
    /// The users with reads that wait, in the order of their turns.
    private var turns: [UserID] = []
    private var shares = TimeShares()
    private(set) var weight = 0
    private let limit: Int
    private let share: Int

    /// - Parameters:
    ///   - limit: the greatest weight that may wait.
    ///   - threads: how many serve this queue.
    init(limit: Int, threads: Int) {
        self.limit = limit
        share = max(1, threads - 1)
    }

    var isEmpty: Bool { turns.isEmpty }

    /// Adds a read.
    ///
    /// - Parameter weight: how much room it takes, at least 1.
    /// - Returns: the reads that lost their room to it, or it itself if there is none for it.
    mutating func append(_ element: Element, of device: DeviceAddress, weight: Int = 1) -> [Element] {
        let weight = max(1, weight)
        var displaced: [Element] = []
        while self.weight + weight > limit {
            let own = (users[device.user]?.weight ?? 0) + weight
            guard let heaviest = heaviestUser(), heaviest != device.user, (users[heaviest]?.weight ?? 0) > own,
                let last = removeLast(of: heaviest)
            else { return displaced + [element] }
            displaced.append(last)
        }
        var user = users.removeValue(forKey: device.user) ?? User()
        if user.turns.isEmpty { turns.append(device.user) }
        if user.devices[device.device] == nil { user.turns.append(device.device) }
        user.devices[device.device, default: Fifo()].append(Waiting(element: element, weight: weight))
        user.weight += weight
        users[device.user] = user
        self.weight += weight
        return displaced
    }

    /// Removes the next read: of the user with a thread left who has had least time, among several of the one who has
    /// waited longest. To be followed by `finish`.
    mutating func next() -> (user: UserID, element: Element)? {
        var next: Int?
        for index in turns.indices where (users[turns[index]]?.underway ?? 0) < share {
            if let least = next, shares.had(by: turns[least]) <= shares.had(by: turns[index]) { continue }
            next = index
        }
        guard let next else { return nil }
        let name = turns.remove(at: next)
        guard var user = users.removeValue(forKey: name), let device = user.turns.first,
            let waiting = user.devices[device]?.popFirst()
        else { return nil }
        user.turns.removeFirst()
        if user.devices[device]?.isEmpty ?? true {
            user.devices[device] = nil
        } else {
            user.turns.append(device)
        }
        user.weight -= waiting.weight
        user.underway += 1
        if !user.turns.isEmpty { turns.append(name) }
        users[name] = user
        weight -= waiting.weight
        shares.begin(name)
        return (name, waiting.element)
    }

    /// A read that `next` has returned is answered.
    ///
    /// - Parameter took: how long it had the thread.
    mutating func finish(_ name: UserID, took: Duration = .zero) {
        shares.charge(took, to: name)
        users[name]?.underway -= 1
        if users[name]?.isIdle ?? false { users[name] = nil }
    }

    private func heaviestUser() -> UserID? { users.max { $0.value.weight < $1.value.weight }?.key }

    /// The last read of the user's device that has most waiting. Another of theirs stays: the user keeps their turn.
    private mutating func removeLast(of name: UserID) -> Element? {
        guard var user = users[name],
            let device = user.devices.max(by: { $0.value.count < $1.value.count })?.key,
            user.turns.count > 1 || (user.devices[device]?.count ?? 0) > 1,
            let last = user.devices[device]?.popLast()
        else { return nil }
        if user.devices[device]?.isEmpty ?? true {
            user.devices[device] = nil
            user.turns.removeAll { $0 == device }
        }
        user.weight -= last.weight
        users[name] = user
        weight -= last.weight
        return last.element
    }
}
