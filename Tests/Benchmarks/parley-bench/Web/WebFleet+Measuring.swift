import GatewaySite

extension WebFleet {
    /// The pace of a run.
    enum Pace {
        /// Each app asks again when it is answered: these kinds of requests by turns.
        case closed([Work])
        /// So many of each a second, whatever became of the earlier ones.
        case open(posts: Int, pages: Int)
    }

    private static let warmUp = 1.0

    /// - Parameter usage: what the processes have used so far.
    func run(_ pace: Pace, seconds: Double, usage: () -> WebUsage) throws -> (outcome: WebOutcome, faults: Faults) {
        let begun = MonotonicTime.now
        let (from, end) = (begun + Int64(Self.warmUp * 1e9), begun + Int64((Self.warmUp + seconds) * 1e9))
        begin(measuredFrom: from)
        var before: WebUsage?
        var due = DueRequests(pace, begun)
        while true {
            let now = MonotonicTime.now
            if now >= end { break }
            if before == nil, now >= from { before = usage() }
            while !idle.isEmpty, let next = due.next(now) {
                guard try ask(next.work, due: next.at) else { break }
            }
            try sweep(wait: max(0, min(due.wait(now), SocketFleet.longestWait)))
        }
        var result = outcome
        // Until the last measured one was answered, which in an open loop may be later than it was due.
        result.seconds = Double(MonotonicTime.now - from) / 1e9
        result.usage = usage() - (before ?? WebUsage())
        let left = due.overdue(end)
        let faults = try settle()
        // Those that were answered late count with their times.
        if case .open = pace {
            (result.posts, result.pages, result.deliveries) = (outcome.posts, outcome.pages, outcome.deliveries)
            if left > 0 { report("\(left) requests were due and had no connection in the end") }
        }
        return (result, faults)
    }
}

/// What is to be asked, and when.
private struct DueRequests {
    private let pace: WebFleet.Pace
    private let begun: Int64
    private var posts = 0
    private var pages = 0
    private var turn = 0

    init(_ pace: WebFleet.Pace, _ begun: Int64) { (self.pace, self.begun) = (pace, begun) }

    private func at(_ count: Int, _ perSecond: Int) -> Int64 {
        perSecond == 0 ? .max : begun + Int64(Double(count) / Double(perSecond) * 1e9)
    }

    mutating func next(_ now: Int64) -> (work: WebFleet.Work, at: Int64)? {
        switch pace {
        case .closed(let works):
            turn += 1
            return (works[turn % works.count], now)
        case .open(let postRate, let pageRate):
            let (post, page) = (at(posts, postRate), at(pages, pageRate))
            guard min(post, page) <= now else { return nil }
            if post <= page {
                posts += 1
                return (.post, post)
            }
            pages += 1
            return (.page, page)
        }
    }

    /// Until the next is due, in nanoseconds.
    func wait(_ now: Int64) -> Int64 {
        switch pace {
        case .closed: .max
        case .open(let postRate, let pageRate):
            // Overdue requests wait for a connection.
            min(at(posts, postRate), at(pages, pageRate)) <= now
                ? .max : min(at(posts, postRate), at(pages, pageRate)) - now
        }
    }

    func overdue(_ now: Int64) -> Int {
        guard case .open(let postRate, let pageRate) = pace else { return 0 }
        let seconds = Double(now - begun) / 1e9
        return max(0, Int(seconds * Double(postRate)) - posts) + max(0, Int(seconds * Double(pageRate)) - pages)
    }
}
