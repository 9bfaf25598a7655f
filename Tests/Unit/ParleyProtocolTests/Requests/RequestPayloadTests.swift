import ParleyProtocol
import TestSupport
import Testing

@Suite("Requests as a device writes them", .seeded)
struct RequestPayloadTests {
    @Test("each operation is one topic's, and known again by it", arguments: OperationTable.all)
    func operations(kind: any Request.Type) {
        #expect(OperationTable.request(kind.operation) == kind)
    }

    @Test("what a device writes, the gateway reads as the same request", arguments: OperationTable.all)
    func roundTrip(kind: any Request.Type) throws {
        var generator = Seeded(stream: 95)
        for _ in 0..<200 {
            let request = try generator.request(kind)
            #expect(request.operation == kind.operation)
            try expectRoundTrip(request, requestID: generator.chance(0.3) ? generator.text(0...64) : nil)
        }
    }

    private func expectRoundTrip<R: Request>(_ request: R, requestID: String?) throws {
        let object = try JSONObject(parsing: request.payload(requestID: requestID))
        #expect(try R(members: object) == request)
        #expect(try object.text("request_id", maximum: 64) == requestID)
    }
}

extension Seeded {
    private mutating func token() throws -> InviteToken { try #require(InviteToken(bytes: bytes(count: 16))) }

    /// Any request of a kind, as a device may make it.
    fileprivate mutating func request(_ kind: any Request.Type) throws -> any Request {
        if kind is any EmptyRequest.Type { return try kind.init(members: JSONObject("{}")) }
        let address = try address()
        switch kind {
        case is SendMessage.Type: return try sendMessage()
        case is EditMessage.Type: return change(.edit(try sendMessage().sealed)).request
        case is DeleteMessage.Type: return change(.delete).request
        case is ReactToMessage.Type: return change(.react(try sendMessage().sealed)).request
        case is SyncRequest.Type: return sync()
        case is GetHistory.Type: return try history()
        case is MarkDelivered.Type: return MarkReceipt(kind: .delivered, conversation: uuid(), message: uuid()).request
        case is MarkRead.Type: return MarkReceipt(kind: .read, conversation: uuid(), message: uuid()).request
        case is StartTyping.Type: return StartTyping(conversation: uuid())
        case is StopTyping.Type: return StopTyping(conversation: uuid())
        case is GetConversation.Type: return GetConversation(conversation: uuid())
        case is CreateConversation.Type:
            let form: CreateConversation.Form =
                chance(0.5)
                ? .direct : .group(id: chance(0.5) ? uuid() : nil, name: chance(0.5) ? text(0...100) : nil)
            let participants = try (0..<Int.random(in: 0...9, using: &self)).map { try #require(UserID("u\($0)")) }
            return CreateConversation(form: form, participants: participants)
        case is ListConversations.Type:
            return ListConversations(
                limit: Int.random(in: 1...Limits.pageItems, using: &self),
                offset: Int.random(in: 0...Int(Int32.max), using: &self), archived: chance(0.5))
        case is LeaveConversation.Type: return LeaveConversation(conversation: uuid())
        case is AcceptRequest.Type: return AcceptRequest(conversation: uuid())
        case is DeclineRequest.Type: return DeclineRequest(conversation: uuid())
        case is UpdateConversation.Type: return update()
        case is AddMembers.Type: return AddMembers(conversation: uuid(), users: [address.user])
        case is RemoveMember.Type: return RemoveMember(conversation: uuid(), user: address.user)
        case is SetRole.Type:
            return SetRole(conversation: uuid(), user: address.user, role: chance(0.5) ? .admin : .member)
        case is LogWorkout.Type:
            return LogWorkout(
                id: uuid(), completedAt: Timestamp(milliseconds: Int64.random(in: 0...1 << 40, using: &self)),
                timeZone: chance(0.5) ? "Europe/Berlin" : "UTC", kind: chance(0.5) ? text(0...64) : nil,
                minutes: chance(0.5) ? number(0...1440) : nil)
        case is DeleteWorkout.Type: return DeleteWorkout(id: uuid())
        case is GetLeaderboard.Type:
            return GetLeaderboard(
                group: uuid(), type: chance(0.5) ? .checkIns : .streak,
                week: chance(0.5) ? ISOWeek(of: CivilDay(daysSinceEpoch: number(0...40_000))) : nil)
        case is GetGroup.Type: return GetGroup(group: uuid())
        case is DeleteGroup.Type: return DeleteGroup(group: uuid())
        case is LeaveGroup.Type: return LeaveGroup(group: uuid())
        case is CreateGroup.Type:
            return CreateGroup(
                id: chance(0.5) ? uuid() : nil, name: text(1...100), timeZone: chance(0.5) ? "Europe/Berlin" : nil)
        case is UpdateGroup.Type: return UpdateGroup(group: uuid(), name: text(1...100))
        case is RemoveGroupMember.Type: return RemoveGroupMember(group: uuid(), user: address.user)
        case is SetGroupRole.Type:
            return SetGroupRole(group: uuid(), user: address.user, role: chance(0.5) ? .admin : .member)
        case is CreateInvite.Type:
            return CreateInvite(
                id: chance(0.5) ? uuid() : nil, group: uuid(), expiresIn: Int.random(in: 1...31_536_000, using: &self),
                uses: chance(0.5) ? Int.random(in: 1...10_000, using: &self) : nil)
        case is ListInvites.Type: return ListInvites(group: uuid(), page: page())
        case is RevokeInvite.Type: return RevokeInvite(id: uuid())
        case is PreviewInvite.Type: return PreviewInvite(token: try token())
        case is AcceptInvite.Type: return AcceptInvite(token: try token())
        case is ListRequests.Type: return ListRequests(page: page())
        case is ListReports.Type: return ListReports(page: page())
        case is ListUsers.Type: return ListUsers(page: page())
        case is ListNotifications.Type: return ListNotifications(page: page())
        case is PostActivity.Type:
            return PostActivity(
                id: uuid(), type: try element(ActivityType.Posted.allCases), title: text(1...100),
                description: chance(0.5) ? text(0...1000) : nil,
                metadata: chance(0.5) ? Array(#"{"days":7}"#.utf8) : PostActivity.noMetadata)
        case is ListActivity.Type: return ListActivity(of: chance(0.5) ? address.user : nil, page: page())
        case is ReactToActivity.Type:
            return ReactToActivity(id: uuid(), emoji: try #require(Emoji(try element(["👏", "❤️", "🏃🏽‍♀️"]))))
        case is UnreactToActivity.Type: return UnreactToActivity(id: uuid())
        case is GetSummary.Type: return GetSummary(user: address.user)
        case is MarkNotificationsRead.Type:
            return MarkNotificationsRead(
                chance(0.3) ? .all : .some((0..<Int.random(in: 0...200, using: &self)).map { _ in uuid() }))
        case is Follow.Type: return Follow(user: address.user)
        case is Unfollow.Type: return Unfollow(user: address.user)
        case is Block.Type: return Block(user: address.user)
        case is Unblock.Type: return Unblock(user: address.user)
        case is CanMessage.Type: return CanMessage(user: address.user)
        case is ListFollowers.Type:
            return ListFollowers(of: chance(0.5) ? address.user : nil, page: page())
        case is ListFollowing.Type:
            return ListFollowing(of: chance(0.5) ? address.user : nil, page: page())
        case is ListBlocked.Type: return ListBlocked(page: page())
        case is CreateReport.Type:
            return CreateReport(
                id: uuid(), reason: text(0...1000),
                subject: chance(0.5) ? .message(uuid()) : .user(address.user),
                evidence: chance(0.5) ? Array(#"{"content_key":"AAAA"}"#.utf8) : nil)
        case is ReportMetrics.Type: return reportMetrics()
        case is CreateChallenge.Type:
            return CreateChallenge(
                id: uuid(), conversation: uuid(), challenged: address.user, type: try element(ChallengeType.allCases),
                target: Int.random(in: Limits.challengeTargets, using: &self),
                durationDays: Int.random(in: Limits.challengeDays, using: &self))
        case is AcceptChallenge.Type: return AcceptChallenge(challenge: uuid())
        case is DeclineChallenge.Type: return DeclineChallenge(challenge: uuid())
        case is CancelChallenge.Type: return CancelChallenge(challenge: uuid())
        case is GetChallenge.Type: return GetChallenge(challenge: uuid())
        case is ListChallenges.Type: return ListChallenges(of: chance(0.5) ? uuid() : nil, page: page())
        case is RegisterPush.Type: return RegisterPush(try pushTarget())
        case is TraceMessage.Type: return TraceMessage(id: .random(using: &self))
        case is ExplainPush.Type: return ExplainPush(message: uuid(), user: address.user)
        case is TestPush.Type: return TestPush(user: address.user)
        case is ExplainPermission.Type:
            return ExplainPermission(from: address.user, to: try self.address().user)
        case is PublishKeys.Type:
            let signingKey = chance(0.5) ? bytes(count: 32) : nil
            let proof =
                signingKey != nil && chance(0.5)
                ? AccountProof(accountKey: bytes(count: 32), certificate: certificate()) : nil
            return PublishKeys(
                identityKey: bytes(count: 32), signingKey: signingKey,
                signature: signingKey != nil && chance(0.5) ? bytes(count: 64) : nil, proof: proof,
                resetsAccount: proof != nil && chance(0.5))
        case is BackUpAccount.Type:
            return BackUpAccount(blob: bytes(count: Int.random(in: 1...4096, using: &self)))
        case is LinkOffer.Type:
            return linkOffer()
        case is GetLink.Type: return GetLink(device: address.device)
        case is LinkApproval.Type:
            return linkApproval(of: address.device)
        case is GetKeys.Type: return GetKeys(user: address.user)
        case is RevokeDevice.Type: return RevokeDevice(device: address.device)
        case is RenewDevice.Type: return RenewDevice(device: chance(0.5) ? address.device : nil)
        case is GetProfile.Type: return GetProfile(user: chance(0.5) ? address.user : nil)
        case is ProfileChange.Type: return try profileChange()
        case is AddUser.Type:
            return AddUser(
                user: address.user, displayName: chance(0.5) ? text(0...100) : nil,
                messagePrivacy: chance(0.5) ? try element(MessagePrivacy.allCases) : nil)
        case is AddDevice.Type:
            return AddDevice(
                address: address, lifetimeDays: chance(0.5) ? Int.random(in: 1...3650, using: &self) : nil,
                name: chance(0.5) ? text(1...100) : nil)
        case is RevokeUserDevice.Type:
            return RevokeUserDevice(address: address, keepsIssued: chance(0.5))
        default: throw MissingError(operation: kind.operation)
        }
    }

    /// An operation of which nobody has said how a device makes it.
    private struct MissingError: Error {
        let operation: Operation
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

    private mutating func pushTarget() throws -> PushTarget {
        let endpoint = try #require(
            PushEndpoint("https://push.example:8443/\(UUIDValue.random(using: &self).high)?a=b"))
        return try element([
            .webhook(endpoint, secret: "a secret of some length: \u{1F511}\"\\"),
            .webPush(endpoint, p256dh: [4] + bytes(count: 64), auth: bytes(count: 16)),
            .apns(
                token: String(repeating: "0a", count: Int.random(in: 8...200, using: &self)), topic: "org.example.App-1"
            ),
            .fcm(token: "dGVzdA:APA91b-_\(UUIDValue.random(using: &self).low)"),
        ])
    }

    private mutating func reportMetrics() -> ReportMetrics {
        func amount() -> Int? { chance(0.5) ? Int.random(in: Limits.metricAmounts, using: &self) : nil }
        return ReportMetrics(
            day: CivilDay(daysSinceEpoch: Int.random(in: -700_000...2_900_000, using: &self)),
            timeZone: "America/Argentina/Buenos_Aires",
            values: MetricValues(steps: amount(), calories: amount(), exerciseMinutes: amount()),
            version: Int.random(in: Limits.metricVersions, using: &self))
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
