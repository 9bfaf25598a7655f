import Oracles

/// How often what was seen: a check that could not fail shows here.
package struct Tally: Sendable, CustomStringConvertible {
    package private(set) var events = 0
    package private(set) var verdicts: [Int] = Array(repeating: 0, count: Verdict.all.count)
    package init() {}

    mutating func noteEvent() { events += 1 }

    mutating func note(_ verdict: Verdict) { verdicts[verdict.number] += 1 }

    package var compared: Int { verdicts.reduce(0, +) }

    package static func += (sum: inout Tally, other: Tally) {
        sum.events += other.events
        for index in sum.verdicts.indices { sum.verdicts[index] += other.verdicts[index] }
    }

    package var description: String {
        let seen = Verdict.all.map { "\($0) \(verdicts[$0.number].grouped)" }
        return "\(events.grouped) events, \(compared.grouped) verdicts compared: \(seen.joined(separator: ", "))"
    }

    /// The verdicts that were never seen.
    package var unseen: [Verdict] { Verdict.all.filter { verdicts[$0.number] == 0 } }
}

extension Verdict {
    /// Its place in `all`.
    fileprivate var number: Int {
        switch self {
        case .allowed(.anyone): 0
        case .allowed(.mutualFollow): 1
        case .allowed(.acceptedRequest): 2
        case .request: 3
        case .refused(.oneself): 4
        case .refused(.unknownUser): 5
        case .refused(.blockedByCaller): 6
        case .refused(.requestLimit): 7
        }
    }
}

extension Int {
    /// In groups of three digits.
    package var grouped: String {
        let digits = Array(String(magnitude))
        let groups = stride(from: digits.count, to: 0, by: -3).map { String(digits[Swift.max(0, $0 - 3)..<$0]) }
        return (self < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
    }
}
