import ParleyProtocol
import TestSupport
import Testing

@Suite("Requests as a device writes them", .seeded)
struct RequestPayloadTests {
    @Test("each operation is one topic's, and known again by it", arguments: RequestKind.allCases)
    func operations(kind: RequestKind) {
        #expect(kind.operation.description == kind.rawValue)
        #expect(RequestKind(kind.operation) == kind)
    }

    @Test("what a device writes, the gateway reads as the same request", arguments: RequestKind.allCases)
    func roundTrip(kind: RequestKind) throws {
        var generator = Seeded(stream: 95)
        for _ in 0..<200 {
            let request = try generator.request(kind)
            #expect(request.kind == kind)
            let requestID = generator.chance(0.3) ? generator.text(0...64) : nil
            let object = try JSONObject(parsing: request.payload(requestID: requestID))
            #expect(try Request(kind, object) == request)
            #expect(try object.text("request_id", maximum: 64) == requestID)
        }
    }
}

extension Seeded {
    /// Any request of a kind, as a device may make it.
    fileprivate mutating func request(_ kind: RequestKind) throws -> Request {
        let address = try address()
        switch kind {
        case .sendMessage: return .sendMessage(try sendMessage())
        case .editMessage: return .changeMessage(change(.edit(try sendMessage().sealed)))
        case .deleteMessage: return .changeMessage(change(.delete))
        case .reactToMessage: return .changeMessage(change(.react(try sendMessage().sealed)))
        case .sync: return .sync(sync())
        case .getHistory: return .getHistory(try history())
        case .markDelivered: return .markReceipt(MarkReceipt(kind: .delivered, conversation: uuid(), message: uuid()))
        case .markRead: return .markReceipt(MarkReceipt(kind: .read, conversation: uuid(), message: uuid()))
        case .startTyping: return .startTyping(uuid())
        case .stopTyping: return .stopTyping(uuid())
        case .getConversation: return .getConversation(uuid())
        case .createConversation:
            let form: CreateConversation.Form =
                chance(0.5)
                ? .direct : .group(id: chance(0.5) ? uuid() : nil, name: chance(0.5) ? text(0...100) : nil)
            let participants = try (0..<Int.random(in: 0...9, using: &self)).map { try #require(UserID("u\($0)")) }
            return .createConversation(CreateConversation(form: form, participants: participants))
        case .listConversations:
            return .listConversations(
                ListConversations(
                    limit: Int.random(in: 1...Limits.pageItems, using: &self),
                    offset: Int.random(in: 0...Int(Int32.max), using: &self), archived: chance(0.5)))
        case .leaveConversation: return .leaveConversation(uuid())
        case .acceptRequest: return .acceptRequest(uuid())
        case .declineRequest: return .declineRequest(uuid())
        case .updateConversation: return .updateConversation(update())
        case .addMembers: return .addMembers(AddMembers(conversation: uuid(), users: [address.user]))
        case .removeMember: return .removeMember(RemoveMember(conversation: uuid(), user: address.user))
        case .setRole:
            return .setRole(SetRole(conversation: uuid(), user: address.user, role: chance(0.5) ? .admin : .member))
        case .listRequests: return .listRequests(page())
        case .listReports: return .listReports(page())
        case .follow: return .follow(address.user)
        case .unfollow: return .unfollow(address.user)
        case .block: return .block(address.user)
        case .unblock: return .unblock(address.user)
        case .canMessage: return .canMessage(address.user)
        case .listFollowers:
            return .listPeople(ListPeople(.followers, of: chance(0.5) ? address.user : nil, page: page()))
        case .listFollowing:
            return .listPeople(ListPeople(.following, of: chance(0.5) ? address.user : nil, page: page()))
        case .listBlocked: return .listPeople(ListPeople(.blocked, page: page()))
        case .createReport:
            return .createReport(
                CreateReport(
                    id: uuid(), reason: text(0...1000),
                    subject: chance(0.5) ? .message(uuid()) : .user(address.user),
                    evidence: chance(0.5) ? Array(#"{"content_key":"AAAA"}"#.utf8) : nil))
        case .explainPermission:
            return .explainPermission(ExplainPermission(from: address.user, to: try self.address().user))
        case .publishKeys:
            let signingKey = chance(0.5) ? bytes(count: 32) : nil
            let proof =
                signingKey != nil && chance(0.5)
                ? AccountProof(accountKey: bytes(count: 32), certificate: certificate()) : nil
            return .publishKeys(
                PublishKeys(
                    identityKey: bytes(count: 32), signingKey: signingKey,
                    signature: signingKey != nil && chance(0.5) ? bytes(count: 64) : nil, proof: proof,
                    resetsAccount: proof != nil && chance(0.5)))
        case .backUpAccount:
            return .backUpAccount(BackUpAccount(blob: bytes(count: Int.random(in: 1...4096, using: &self))))
        case .getAccountBackup: return .getAccountBackup
        case .offerLink:
            return .offerLink(linkOffer())
        case .getLink: return .getLink(address.device)
        case .approveLink:
            return .approveLink(linkApproval(of: address.device))
        case .getKeys: return .getKeys(address.user)
        case .listDevices: return .listDevices
        case .revokeDevice: return .revokeDevice(address.device)
        case .renewDevice: return .renewDevice(chance(0.5) ? address.device : nil)
        case .getProfile: return .getProfile(chance(0.5) ? address.user : nil)
        case .setProfile: return .setProfile(try profileChange())
        case .addUser:
            return .addUser(
                AddUser(
                    user: address.user, displayName: chance(0.5) ? text(0...100) : nil,
                    messagePrivacy: chance(0.5) ? try element(MessagePrivacy.allCases) : nil))
        case .listUsers:
            return .listUsers(
                ListUsers(
                    limit: Int.random(in: 1...Limits.pageItems, using: &self), after: chance(0.5) ? address.user : nil))
        case .addDevice:
            return .addDevice(
                AddDevice(
                    address: address, lifetimeDays: chance(0.5) ? Int.random(in: 1...3650, using: &self) : nil,
                    name: chance(0.5) ? text(1...100) : nil))
        case .revokeUserDevice:
            return .revokeUserDevice(RevokeUserDevice(address: address, keepsIssued: chance(0.5)))
        }
    }

    private mutating func profileChange() throws -> ProfileChange {
        ProfileChange(
            displayName: chance(0.5) ? text(1...100) : nil,
            photoURL: try element([.unchanged, .cleared, .set(text(0...200))]),
            messagePrivacy: chance(0.5) ? try element(MessagePrivacy.allCases) : nil,
            sharesWorkoutData: chance(0.5) ? chance(0.5) : nil, sendsReadReceipts: chance(0.5) ? chance(0.5) : nil,
            sendsTyping: chance(0.5) ? chance(0.5) : nil,
            presence: chance(0.5) ? try element(PresencePrivacy.allCases) : nil,
            quietHours: try element([.unchanged, .cleared, .set(QuietHours(from: "22:00", to: "06:59"))]),
            timeZone: try element([.unchanged, .cleared, .set("America/Argentina/Buenos_Aires")]))
    }

    private mutating func change(_ change: ChangeMessage.Change) -> ChangeMessage {
        ChangeMessage(id: uuid(), conversation: uuid(), message: uuid(), change: change)
    }

    private mutating func page() -> Page {
        Page(limit: Int.random(in: 1...Limits.pageItems, using: &self), cursor: chance(0.5) ? text(0...256) : nil)
    }

    private mutating func sync() -> SyncRequest {
        var cursors: [ConversationID: SyncRequest.Cursor] = [:]
        for _ in 0..<Int.random(in: 0...5, using: &self) {
            cursors[uuid()] = SyncRequest.Cursor(epoch: text(0...64), seq: Int.random(in: 0...Int.max, using: &self))
        }
        let page = page()
        return SyncRequest(cursors: cursors, limit: page.limit, cursor: page.cursor)
    }

    private mutating func update() -> UpdateConversation {
        let end = Timestamp(milliseconds: Int64.random(in: 0...4_000_000_000_000, using: &self))
        let until = [FieldChange.unchanged, .cleared, .set(end)].randomElement(using: &self) ?? .unchanged
        var isMuted: Bool? = chance(0.5) ? chance(0.5) : nil
        if case .set = until, isMuted == false { isMuted = true }
        return UpdateConversation(
            conversation: uuid(), name: chance(0.5) ? .set(text(0...100)) : .cleared, isMuted: isMuted,
            mutedUntil: until, isArchived: chance(0.5) ? chance(0.5) : nil, isUnread: chance(0.5) ? chance(0.5) : nil)
    }
}
