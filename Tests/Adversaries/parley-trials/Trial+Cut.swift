import GatewaySite
import ParleyProtocol

// The cut, and the later requests on the same connection.

extension Trial {
    /// Sends the cut, and on the same connection at once what must not be heard by the one concerned.
    ///
    /// - Returns: when the reply came.
    func makeCut() throws -> Int64 {
        let driver: TrialDevice
        var requests: [any Request]
        switch cast.cut {
        case .remove:
            driver = keeper
            requests = [RemoveMember(conversation: cast.conversation, user: cast.concerned)]
        case .block:
            driver = keeper
            requests = [Block(user: cast.concerned)]
        case .leave:
            driver = actor
            requests = [LeaveConversation(conversation: cast.conversation)]
        case .revoke:
            driver = actor
            requests = [cast.listener, cast.sleeper].map { RevokeDevice(device: $0.address.device) }
        case .operatorRevoke:
            driver = console
            requests = [cast.listener, cast.sleeper].map { RevokeUserDevice(address: $0.address) }
        }
        if !isCutMade { requests = [ListDevices()] }
        boundary.laterUsers = [cast.keeper.address.user]
        if cast.cut == .revoke { boundary.laterUsers.insert(cast.concerned) }
        if cast.cut.endsDevices { boundary.revoked = [cast.listener.address.device, cast.sleeper.address.device] }

        let names = try requests.map { try driver.ask($0) }
        let marker = cast.cut == .remove || cast.cut == .revoke ? try act(driver, types: !ports.areApart) : nil
        driver.flush()
        try pump("the reply to \(cast.cut.label)") { names.allSatisfy { driver.reply($0) != nil } }
        let replies = names.compactMap { driver.reply($0) }
        if replies.contains(where: { $0.code == ErrorCode.unavailable.rawValue }) {
            throw TrialError.unavailable(cast.cut.label)
        }
        if let refused = replies.first(where: { !$0.isAccepted }) {
            throw TrialError.refused(cast.cut.label, refused.code ?? "without a code")
        }
        // The conversation as the cut has left it: its last record tells of the cut.
        if isCutMade, let seq = replies.compactMap({ $0.integer("last_seq") }).min() { markLater(from: seq) }
        if let marker { try markLater(from: marker) }
        return replies.map(\.at).max() ?? MonotonicTime.now
    }

    /// Writes, types, reads and renames, none of which the one concerned may hear.
    ///
    /// - Parameter types: not before the reply has come where typing, which has no place in any log, goes to other
    ///   gateways by a way of its own.
    func act(_ device: TrialDevice, types: Bool = true) throws -> (device: TrialDevice, request: String) {
        if types { try device.ask(StartTyping(conversation: cast.conversation)) }
        let (id, request) = try send(device)
        boundary.laterMessages.insert(id)
        try device.ask(MarkReceipt(kind: .read, conversation: cast.conversation, message: id).request)
        if device === keeper, cast.cut != .block {
            boundary.laterName = "after"
            try device.ask(UpdateConversation(conversation: cast.conversation, name: .set("after")))
        }
        return (device, request)
    }

    /// Everything from a message on that was sent after the cut is later.
    func markLater(from marker: (device: TrialDevice, request: String)) throws {
        try pump("the reply to a message") { marker.device.reply(marker.request) != nil }
        if let seq = marker.device.reply(marker.request)?.integer("seq") { markLater(from: seq) }
    }

    func markLater(from seq: Int) { boundary.firstSeq = min(boundary.firstSeq, seq) }
}
