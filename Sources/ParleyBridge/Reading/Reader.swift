import ParleyProtocol
import ParleyRules
import ParleyStore

/// Carries out what changes nothing, on a snapshot beside the writer.
struct Reader: Sendable {
    let store: Store
    let strangers: StrangerLimits
    let backups: BackupLimit
    let settings: Settings
    let counters: Counters
    let seal: CursorSeal

    /// - Parameters:
    ///   - strangers: shared with the writer; `nil` for limits of this reader's own.
    ///   - backups: likewise.
    init(
        store: Store, settings: Settings, seal: CursorSeal, strangers: StrangerLimits? = nil,
        backups: BackupLimit? = nil, counters: Counters
    ) {
        self.store = store
        self.settings = settings
        self.seal = seal
        self.counters = counters
        self.strangers = strangers ?? StrangerLimits(settings)
        self.backups = backups ?? BackupLimit(settings)
    }

    /// The reply to a request that is a read.
    func answer(_ incoming: Incoming, now: Timestamp) -> Outgoing {
        counters.reads.add(1)
        do throws(StoreError) {
            return try store.read { snapshot in
                var outgoing = Outgoing()
                do {
                    try incoming.authorize(try snapshot.device(incoming.sender))
                    try perform(incoming, snapshot, &outgoing, now: now)
                } catch let rejection as Rejection {
                    counters.rejected.add(1)
                    outgoing.reject(incoming.route, rejection)
                }
                return outgoing
            }
        } catch {
            var outgoing = Outgoing()
            outgoing.reject(incoming.route, error.isPassing ? .unavailable : .internalFault)
            return outgoing
        }
    }

    private func perform(
        _ incoming: Incoming, _ snapshot: Snapshot, _ outgoing: inout Outgoing, now: Timestamp
    ) throws {
        let (route, caller) = (incoming.route, incoming.sender)
        switch incoming.request {
        case .getHistory(let request):
            let page = try HistoryPage.read(request, for: caller.user, snapshot)
            outgoing.accept(route) { page.summary.write(messages: page.messages, to: &$0) }
        case .sync(let request):
            let page = try SyncPage.read(request, for: caller.user, snapshot, seal: seal, now: now)
            outgoing.accept(route) { page.write(to: &$0) }
        case .getConversation(let id):
            let conversation = try conversation(id, for: caller.user, snapshot)
            outgoing.accept(route) { conversation.write(to: &$0) }
        case .listConversations(let request):
            let page = try ConversationPage.read(request, for: caller.user, snapshot, now: now)
            outgoing.accept(route) { page.write(to: &$0, request) }
        case .getKeys(let user):
            let keys = try keys(of: user, for: caller.user, snapshot, now: now)
            outgoing.accept(route) { keys.write(to: &$0) }
        case .getAccountBackup:
            let backup = try accountBackup(of: caller.user, snapshot, now: now)
            outgoing.accept(route) { backup.write(to: &$0) }
        case .getLink(let device):
            let link = try link(of: device, for: caller.user, snapshot, now: now)
            outgoing.accept(route) { link.write(to: &$0) }
        case .listDevices:
            let devices = try snapshot.devices(of: caller.user)
            outgoing.accept(route) { writer in
                writer.object { object in
                    object.member("devices", array: devices) {
                        $1.write(to: &$0, isCurrent: $1.device == caller.device)
                    }
                }
            }
        case .getProfile(let user):
            try strangers.chargeLookup(of: user ?? caller.user, by: caller.user, snapshot, now: now)
            guard let profile = try snapshot.profile(user ?? caller.user) else { throw Rejection.userNotFound }
            let counts = try snapshot.followCounts(of: profile.user, seenBy: caller.user)
            outgoing.accept(route) { profile.write(to: &$0, counts, forOwner: profile.user == caller.user) }
        case .listPeople(let request):
            try strangers.chargeLookup(of: request.user ?? caller.user, by: caller.user, snapshot, now: now)
            let page = try PeoplePage.read(request, for: caller.user, snapshot)
            outgoing.accept(route) { page.write(to: &$0) }
        case .listRequests(let request):
            let page = try RequestPage.read(request, for: caller.user, snapshot)
            outgoing.accept(route) { page.write(to: &$0) }
        case .canMessage(let user):
            try strangers.chargeLookup(of: user, by: caller.user, snapshot, now: now)
            let permission = try snapshot.permission(from: caller.user, to: user, settings, now: now)
            guard permission != .refused(.unknownUser) else { throw Rejection.userNotFound }
            outgoing.accept(route) { permission.write(to: &$0) }
        case .explainPermission(let request):
            let contact = try snapshot.contact(request.sender, request.recipient)
            let explanation = PermissionExplanation(
                from: request.sender, to: request.recipient, contact, now: now, renewal: settings.requestRenewal)
            outgoing.accept(route) { explanation.write(to: &$0) }
        case .listUsers(let request):
            let users = try snapshot.users(after: request.after, limit: request.limit + 1)
            let page = users.prefix(request.limit)
            outgoing.accept(route) { writer in
                writer.object { object in
                    object.member("users", array: page) { $1.write(to: &$0) }
                    object.member("next_cursor", users.count > page.count ? page.last?.user.text : nil)
                }
            }
        case .listReports(let request):
            let page = try ReportPage.read(request, snapshot)
            outgoing.accept(route) { page.write(to: &$0) }
        case .sendMessage, .changeMessage, .markReceipt, .startTyping, .stopTyping, .createConversation,
            .updateConversation, .addMembers, .removeMember, .setRole, .leaveConversation, .acceptRequest,
            .declineRequest, .publishKeys, .backUpAccount, .offerLink, .approveLink, .revokeDevice, .renewDevice,
            .setProfile, .follow, .unfollow, .block, .unblock, .createReport, .addUser, .addDevice, .revokeUserDevice:
            // The writer carries these out; see `Request.isRead`.
            throw Rejection.internalFault
        }
    }

    private func conversation(
        _ id: ConversationID, for user: UserID, _ snapshot: Snapshot
    ) throws -> Conversation {
        let state = try snapshot.visibleConversation(id, to: user)
        guard let conversation = try snapshot.conversationObject(state.key, seenBy: user) else {
            throw Rejection.conversationNotFound
        }
        return conversation
    }

    private func keys(
        of user: UserID, for caller: UserID, _ snapshot: Snapshot, now: Timestamp
    ) throws -> UserKeys {
        guard try snapshot.hasMember(user) else { throw Rejection.userNotFound }
        if user != caller, try snapshot.isStranger(user, to: caller) {
            try strangers.chargeKeyFetch(by: caller, now: now)
        }
        return try snapshot.userKeys(of: user)
    }
}
