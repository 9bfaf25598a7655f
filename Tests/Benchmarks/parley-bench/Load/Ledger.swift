/// The messages of one run that are under way, and the listeners that have received them.
///
/// A listener is a device on its conversation's topic, for one of the conversation's senders, or a sender on its
/// replies; all of them get every message of that sender, once and in the order in which it was sent.
struct Ledger {
    private struct Listener {
        var next = 0
        /// Skipped counts: lost, or still to come out of order.
        var missing: Set<Int> = []
    }

    /// The most messages of one sender that can be under way.
    static let depth = 4096

    let run: Int
    /// How many listeners hear each sender.
    private let listenersEach: Int
    private var listeners: [Listener]
    private var sentCounts: [Int]
    /// Of each message under way, by sender and count: the listeners that have not had it, and when it was due.
    private var outstanding: [Int32]
    private var dueAt: [Int64]

    private(set) var sent = 0
    private(set) var completed = 0
    var faults = Faults()

    init(run: Int, senders: Int, listeners: Int, listenersEach: Int) {
        self.run = run
        self.listenersEach = listenersEach
        self.listeners = Array(repeating: Listener(), count: listeners)
        sentCounts = Array(repeating: 0, count: senders)
        outstanding = Array(repeating: 0, count: senders * Ledger.depth)
        dueAt = Array(repeating: 0, count: senders * Ledger.depth)
    }

    var underway: Int { sent - completed }

    /// The next message of a sender; `nil` while one as old as the ledger is deep is still under way.
    @inline(__always)
    mutating func send(_ sender: Int, dueAt due: Int64) -> MessageNumber? {
        let count = sentCounts[sender]
        let slot = slot(sender, count)
        guard outstanding[slot] == 0 else { return nil }
        outstanding[slot] = Int32(listenersEach)
        dueAt[slot] = due
        sentCounts[sender] = count + 1
        sent += 1
        return MessageNumber(sender: sender, run: run, count: count)
    }

    /// A listener was given a message.
    ///
    /// - Returns: when the message was due, if this was the last listener to get it.
    @inline(__always)
    mutating func deliver(_ number: MessageNumber, to listener: Int, of sender: Int) -> Int64? {
        guard number.run == run, number.sender == sender, number.count < sentCounts[sender] else {
            faults.refuse("message \(number) reached a listener of sender \(sender) in run \(run)")
            return nil
        }
        if number.count == listeners[listener].next {
            listeners[listener].next += 1
        } else if !isExpected(number.count, by: listener) {
            return nil
        }
        let slot = slot(sender, number.count)
        outstanding[slot] -= 1
        guard outstanding[slot] == 0 else { return nil }
        completed += 1
        return dueAt[slot]
    }

    /// Counts the messages that have not come as lost.
    mutating func close() {
        faults.losses += outstanding.reduce(0) { $0 + Int($1) }
    }

    private mutating func isExpected(_ count: Int, by listener: Int) -> Bool {
        let next = listeners[listener].next
        if count > next {
            listeners[listener].missing.formUnion(next..<count)
            listeners[listener].next = count + 1
        } else if listeners[listener].missing.remove(count) != nil {
            faults.reorderings += 1
        } else {
            faults.duplicates += 1
            return false
        }
        return true
    }

    @inline(__always)
    private func slot(_ sender: Int, _ count: Int) -> Int {
        sender &* Ledger.depth &+ (count & (Ledger.depth - 1))
    }
}
