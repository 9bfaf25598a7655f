import ParleyProtocol

/// One line of a board.
package struct Standing: Hashable, Sendable {
    package let user: UserID
    package var score: BoardScore
    /// When they joined the group; decides between two who reached the same value at the same time.
    package let joinedAt: Timestamp
    /// From 1; equal values share a rank, and the next ranks are skipped (1, 1, 3).
    package fileprivate(set) var rank: Int
    /// The rank before its last change; `nil` if it never changed.
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

    /// By value, time reached, time joined, id.
    fileprivate static func precedes(_ left: Standing, _ right: Standing) -> Bool {
        if left.score.value != right.score.value { return left.score.value > right.score.value }
        if left.score.reachedAt != right.score.reachedAt { return left.score.reachedAt < right.score.reachedAt }
        if left.joinedAt != right.joinedAt { return left.joinedAt < right.joinedAt }
        return left.user < right.user
    }
}

/// The lines of a board in their order: every member with a value.
package struct Standings: Hashable, Sendable {
    package private(set) var lines: [Standing]

    /// - Parameter lines: with their ranks, in any order.
    package init(_ lines: [Standing] = []) { self.lines = lines.sorted(by: Standing.precedes) }

    /// When the first streak expires if no workout follows.
    package var lapsesAt: Timestamp? { lines.compactMap(\.score.lapsesAt).min() }

    /// The users whose rank has become worse.
    package func passed(since old: Standings) -> [UserID] {
        lines.filter { line in old[line.user].map { line.rank > $0.rank } ?? false }.map(\.user)
    }

    package subscript(user: UserID) -> Standing? { lines.first { $0.user == user } }

    /// Replaces a user's score; `nil` removes their line.
    ///
    /// - Returns: whether a board looks different.
    @discardableResult
    package mutating func set(_ user: UserID, _ score: BoardScore?, joinedAt: Timestamp) -> Bool {
        set([(user, score, joinedAt)])
    }

    /// Replaces several scores; ranks change once.
    @discardableResult
    package mutating func set(_ scores: [(user: UserID, score: BoardScore?, joinedAt: Timestamp)]) -> Bool {
        let old = lines
        for (user, score, joinedAt) in scores {
            let index = lines.firstIndex { $0.user == user }
            switch (index, score) {
            case (let index?, let score?): lines[index].score = score
            case (let index?, nil): lines.remove(at: index)
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
            // A new line has had no rank.
            if lines[index].rank > 0 { lines[index].previousRank = lines[index].rank }
            lines[index].rank = rank
        }
    }
}
