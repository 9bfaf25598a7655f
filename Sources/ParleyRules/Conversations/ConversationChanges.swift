import ParleyProtocol

extension ConversationFacts {
    /// The place of the next record of the log.
    package func nextSeq() throws(Rejection) -> Int {
        let (seq, overflow) = farthestEnd.lastSeq.addingReportingOverflow(1)
        guard !overflow else { throw .internalFault }
        return seq
    }

    /// When the next record is made: now, but not before the last. Where the last was made by a clock that was minutes
    /// ahead, it is now all the same: the order is that of the places in the log, and one false time must not stay.
    package func nextCreation(_ now: Timestamp) -> Timestamp {
        let last = farthestEnd.updatedAt
        return last > now.advanced(byMilliseconds: GatewayClock.patience) ? now : max(now, last)
    }

    /// The log has grown by a record.
    ///
    /// - Parameter isWithheld: whether it is shown to its sender alone.
    package mutating func append(_ record: MessageRecord, isWithheld: Bool = false) {
        guard isWithheld else {
            var end = end
            end.append(record)
            (lastSeq, lastMessageSeq, updatedAt) = (end.lastSeq, end.lastMessageSeq, end.updatedAt)
            // Later in another's time than the last that all see is only what a clock made that was set back since.
            for index in members.indices {
                members[index].ownEnd.updatedAt = min(members[index].ownEnd.updatedAt, updatedAt)
            }
            return
        }
        for index in members.indices where members[index].user == record.sender.user {
            members[index].ownEnd.append(record)
        }
    }
}

// MARK: Made twice

extension ConversationFacts {
    /// Whether one of the two of a direct conversation cannot know that there is one: it is not theirs, and nothing
    /// that they may see was ever written in it.
    package func isUnknown(to user: UserID) -> Bool {
        type == .direct && member(user)?.isOpen == false && end(seenBy: user).lastSeq == 0
    }

    /// Somebody to whom it was unknown makes it: to them nothing of it is older than that.
    package mutating func make(by user: UserID, at now: Timestamp) {
        for index in members.indices where members[index].user == user {
            members[index].ownEnd.updatedAt = max(now, end.updatedAt)
        }
    }
}

// MARK: Members

extension ConversationFacts {
    /// Somebody has come.
    package mutating func join(_ member: MemberFacts) {
        let place = members.firstIndex { member.user < $0.user } ?? members.endIndex
        members.insert(member, at: place)
    }

    /// Somebody has gone.
    package mutating func remove(_ user: UserID) { members.removeAll { $0.user == user } }

    package mutating func setRole(_ role: MemberRole, of user: UserID) {
        for index in members.indices where members[index].user == user { members[index].role = role }
    }
}
