import ParleyProtocol

/// What was answered, what the database has, and what each device has heard: all must agree.
///
/// The same judge for every trial of cells, and for the controls, of which it must find the fault.
struct Ledger {
    struct Entry: Hashable {
        let seq: Int
        let id: MessageID
    }

    /// The log of one conversation, as the database has it.
    private struct Log {
        var entries: [Entry] = []
        var seqs: [MessageID: Int] = [:]
    }

    private var logs: [ConversationID: Log] = [:]
    private(set) var findings = Findings()

    /// How many entries of a conversation are known: from there on the database is read.
    func count(of conversation: ConversationID) -> Int { logs[conversation]?.entries.count ?? 0 }

    var entryCount: Int { logs.values.reduce(0) { $0 + $1.entries.count } }

    /// Adds what follows in the database, in the order of seq.
    mutating func extend(_ conversation: ConversationID, by entries: [Entry]) {
        var log = logs[conversation] ?? Log()
        for entry in entries {
            let expected = (log.entries.last?.seq ?? 0) + 1
            if entry.seq > expected { findings.add(.hole, entry, conversation) }
            if entry.seq < expected { findings.add(.double, entry, conversation) }
            if log.seqs.updateValue(entry.seq, forKey: entry.id) != nil { findings.add(.double, entry, conversation) }
            log.entries.append(entry)
        }
        logs[conversation] = log
    }

    /// A reply has said that a message stands there.
    mutating func check(answered entry: Entry, in conversation: ConversationID) {
        let seq = logs[conversation]?.seqs[entry.id]
        if seq == nil { findings.add(.lost, entry, conversation) }
        if let seq, seq != entry.seq { findings.add(.double, entry, conversation) }
    }

    /// What somebody has heard of a conversation, in any order.
    mutating func check(heard: [Entry], in conversation: ConversationID) {
        let log = logs[conversation] ?? Log()
        let known = Set(log.entries)
        for entry in heard where !known.contains(entry) { findings.add(.disagreement, entry, conversation) }
        let found = Set(heard)
        for entry in log.entries where !found.contains(entry) { findings.add(.unheard, entry, conversation) }
    }
}

/// What does not agree.
struct Findings {
    enum Kind: String, CaseIterable {
        /// Answered, and not in the database.
        case lost
        /// A message or a place in a log that is there twice.
        case double
        /// A place in a log that is empty.
        case hole
        /// Heard by a device as the database does not have it: another order, or more than there is.
        case disagreement
        /// In the database, and never heard.
        case unheard
        /// Something that a device was told and must not have been.
        case fault
    }

    private var counts: [Kind: Int] = [:]
    /// The first few, in words.
    private(set) var examples: [String] = []

    private static let mostExamples = 10

    subscript(kind: Kind) -> Int { counts[kind] ?? 0 }

    var isEmpty: Bool { counts.isEmpty }

    mutating func add(_ kind: Kind, _ entry: Ledger.Entry, _ conversation: ConversationID) {
        add(kind, "\(entry.id) as \(entry.seq) of \(conversation)")
    }

    mutating func add(_ kind: Kind, _ what: String) {
        counts[kind, default: 0] += 1
        if examples.count < Findings.mostExamples { examples.append("\(kind.rawValue): \(what)") }
    }

    mutating func add(_ other: Findings) {
        counts.merge(other.counts) { $0 + $1 }
        examples += other.examples.prefix(max(0, Findings.mostExamples - examples.count))
    }

    /// One line, of what there is.
    var summary: String {
        isEmpty
            ? "nothing"
            : Kind.allCases.filter { self[$0] > 0 }.map { "\(self[$0]) \($0.rawValue)" }.joined(separator: ", ")
    }
}
