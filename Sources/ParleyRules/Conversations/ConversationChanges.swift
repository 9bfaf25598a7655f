import ParleyProtocol

extension ConversationFacts {
    /// The seq of the next record.
    package func nextSeq() throws(Rejection) -> Int {
        let (seq, overflow) = farthestEnd.lastSeq.addingReportingOverflow(1)
        guard !overflow else { throw .internalFault }
        return seq
    }

    /// The time of the next record: now, but not before the last record, unless that is minutes ahead. The order is
    /// that of seqs, and one false time must not last.
    package func nextCreation(_ now: Timestamp) -> Timestamp {
        let last = farthestEnd.updatedAt
        return last > now.advanced(byMilliseconds: GatewayClock.patience) ? now : max(now, last)
    }

    /// - Parameter isWithheld: whether the record is shown to its sender alone.
    package mutating func append(_ record: MessageRecord, isWithheld: Bool = false) {
        guard isWithheld else {
            var end = end
            end.append(record)
            (lastSeq, lastMessageSeq, updatedAt) = (end.lastSeq, end.lastMessageSeq, end.updatedAt)
            // A member's own time is later only where the clock was set back.
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

// MARK: Created twice

extension ConversationFacts {
    /// Whether a user cannot know of their direct conversation: it is not open for them, and they see no record in it.
    package func isUnknown(to user: UserID) -> Bool {
        type == .direct && member(user)?.isOpen == false && end(seenBy: user).lastSeq == 0
    }

    /// A user to whom it was unknown creates it: to them nothing in it is older.
    package mutating func make(by user: UserID, at now: Timestamp) {
        for index in members.indices where members[index].user == user {
            members[index].ownEnd.updatedAt = max(now, end.updatedAt)
        }
    }
}

// MARK: Members

extension ConversationFacts {
    package mutating func join(_ member: MemberFacts) {
        members.insert(member, at: members.firstIndex { member.user < $0.user } ?? members.endIndex)
    }

    package mutating func remove(_ user: UserID) { members.removeAll { $0.user == user } }

    package mutating func setRole(_ role: MemberRole, of user: UserID) {
        for index in members.indices where members[index].user == user { members[index].role = role }
    }
}
