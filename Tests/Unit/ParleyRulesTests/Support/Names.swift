import ParleyProtocol
import ParleyRules
import TestNames
import Testing

/// The id of some key.
func keyID(_ number: UInt8) -> KeyID {
    guard let id = KeyID([UInt8](repeating: number, count: KeyID.length)) else { preconditionFailure("8 bytes") }
    return id
}

/// A device with a published key.
func keyed(_ address: DeviceAddress, _ key: UInt8 = 1) -> KeyedDevice {
    KeyedDevice(address: address, keyID: keyID(key))
}

/// A conversation in whose log something was written.
func conversation(
    _ type: ConversationType, _ members: [MemberFacts], lastSeq: Int = 41, updatedAt: Timestamp = at(0)
) -> ConversationFacts {
    ConversationFacts(
        id: .random(), type: type, epoch: "k3Jx9w", lastSeq: lastSeq, lastMessageSeq: lastSeq, updatedAt: updatedAt,
        members: members)
}

func member(
    _ user: UserID, _ role: MemberRole = .member, joinedAt: Timestamp = at(0), isOpen: Bool = true, visibleFrom: Int = 0
) -> MemberFacts {
    MemberFacts(user: user, role: role, joinedAt: joinedAt, isOpen: isOpen, visibleFrom: visibleFrom)
}

/// The rejection that `body` throws; `nil` if it throws none.
func rejection(_ body: () throws -> some Any) -> Rejection? {
    do {
        _ = try body()
        return nil
    } catch {
        if !(error is Rejection) { Issue.record("\(error)") }
        return error as? Rejection
    }
}
