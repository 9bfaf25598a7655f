import ParleyProtocol

/// One line of a board.
package struct Standing: Hashable, Sendable {
    package let user: UserID
    package var score: BoardScore
    /// When they joined the group: of two who reached the same at the same time, the one who joined first comes first.
    package let joinedAt: Timestamp
    /// 1 for the first; the same for the same value, and then so many are left out.
    package fileprivate(set) var rank: Int
    /// What it was before it last changed; `nil` if it never has.
    package fileprivate(set) var previousRank: Int?

    package init(user: UserID, score: BoardScore, joinedAt: Timestamp, rank: Int, previousRank: Int?) {
        self.user = user
        self.score = score
        self.joinedAt = joinedAt
        self.rank = rank
        self.previousRank = previousRank
    }

    fileprivate func looksLike(_ other: Standing) -> Bool {
        user == other.user && score.looksLike(other.score) && rank == other.rank && previousRank == other.previousRank
    }

    /// By value, then who reached it first, then who joined first, then by id.
    fileprivate static func precedes(_ left: Standing, _ right: Standing) -> Bool {
        if left.score.value != right.score.value { return left.score.value > right.score.value }
        if left.score.reachedAt != right.score.reachedAt { return left.score.reachedAt < right.score.reachedAt }
        if left.joinedAt != right.joinedAt { return left.joinedAt < right.joinedAt }
        return left.user < right.user
    }
}

/// The lines of a board in their order: everybody with a value, ranked like competitors (1, 1, 3).
package struct Standings: Hashable, Sendable {
    package private(set) var lines: [Standing]

    /// - Parameter lines: as they were taken from here, in any order.
    package init(_ lines: [Standing] = []) { self.lines = lines.sorted(by: Standing.precedes) }

    /// When the first of them is over if nothing follows.
    package var lapsesAt: Timestamp? { lines.compactMap(\.score.lapsesAt).min() }

    /// Who has another before them now whom they were before, or level with.
    package func passed(since old: Standings) -> [UserID] {
        lines.filter { line in old[line.user].map { line.rank > $0.rank } ?? false }.map(\.user)
    }

    package subscript(user: UserID) -> Standing? { lines.first { $0.user == user } }

    /// Puts somebody's score in the place of their last one; `nil` takes their line away.
    ///
    /// - Returns: whether anything changed that a board shows.
    @discardableResult
    package mutating func set(_ user: UserID, _ score: BoardScore?, joinedAt: Timestamp) -> Bool {
        set([(user, score, joinedAt)])
    }

    /// The same for several at once: ranks change once.
    @discardableResult
    package mutating func set(_ scores: [(user: UserID, score: BoardScore?, joinedAt: Timestamp)]) -> Bool {
        let old = lines
        for (user, score, joinedAt) in scores {
            let place = lines.firstIndex { $0.user == user }
            switch (place, score) {
            case (let place?, let score?): lines[place].score = score
            case (let place?, nil): lines.remove(at: place)
            case (nil, let score?):
                lines.append(Standing(user: user, score: score, joinedAt: joinedAt, rank: 0, previousRank: nil))
            case (nil, nil): break
            }
        }
        rank()
        return lines.count != old.count || !zip(lines, old).allSatisfy { $0.looksLike($1) }
    }

    private mutating func rank() {
        lines.sort(by: Standing.precedes)
        var rank = 0
        for index in lines.indices {
            if index == 0 || lines[index].score.value != lines[index - 1].score.value { rank = index + 1 }
            guard lines[index].rank != rank else { continue }
            // A line that has just come has had no rank.
            if lines[index].rank > 0 { lines[index].previousRank = lines[index].rank }
            lines[index].rank = rank
        }
    }
}
