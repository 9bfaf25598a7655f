import NIOCore
import ParleyProtocol

/// The session of a token, for any thread. It is looked up, or made, at each use.
struct SessionHandle: Sendable {
    let loop: any EventLoop
    private let token: SessionToken
    private let table: NIOLoopBound<SessionTable>

    init(_ token: SessionToken, in table: NIOLoopBound<SessionTable>, on loop: any EventLoop) {
        (self.token, self.table, self.loop) = (token, table, loop)
    }

    var device: DeviceAddress { token.address }

    /// Waits until the broker has accepted the token.
    ///
    /// - Throws: ``SessionEnd``
    func signIn() async throws(SessionEnd) {
        try await onLoop { $0.signIn($1) }
    }

    /// - Parameter payload: of an idempotent request (protocol §4): it may be sent twice.
    /// - Returns: the reply (protocol §4).
    func request(_ operation: Operation, _ payload: [UInt8]) async throws(SessionEnd) -> [UInt8] {
        try await onLoop { $0.request(operation, payload, $1) }
    }

    /// Publishes a request without a reply; returns when it is on its way to the broker.
    func publish(_ operation: Operation, _ payload: [UInt8]) async throws(SessionEnd) {
        try await onLoop { $0.publish(operation, payload, $1) }
    }

    func publish(_ operation: Operation, _ payload: [UInt8]) {
        loop.execute { try? table.value.session(of: token).publish(operation, payload, nil) }
    }

    /// Waits until the listener receives all events of the device.
    func listen(_ listener: any SessionListener) async throws(SessionEnd) {
        try await onLoop { $0.listen(listener, $1) }
    }

    func remove(_ listener: any SessionListener) {
        loop.execute { table.value.existing(token)?.remove(listener) }
    }

    func request(_ operation: Operation, _ payload: [UInt8], _ promise: EventLoopPromise<[UInt8]>) {
        onLoop(promise) { $0.request(operation, payload, $1) }
    }

    private func onLoop<Value: Sendable>(
        _ promise: EventLoopPromise<Value>, _ body: @escaping @Sendable (TokenSession, EventLoopPromise<Value>) -> Void
    ) {
        loop.execute {
            do throws(SessionEnd) {
                body(try table.value.session(of: token), promise)
            } catch {
                promise.fail(error)
            }
        }
    }

    private func onLoop<Value: Sendable>(
        _ body: @escaping @Sendable (TokenSession, EventLoopPromise<Value>) -> Void
    ) async throws(SessionEnd) -> Value {
        let promise = loop.makePromise(of: Value.self)
        onLoop(promise, body)
        do {
            return try await promise.futureResult.get()
        } catch {
            throw error as? SessionEnd ?? .unavailable
        }
    }
}

// MARK: What a device would hear

extension SessionHandle {
    /// The most friends whose presence and activity are subscribed to; a device that wants more connects over MQTT.
    private static let mostFriends = 500

    /// Subscribes to the user's topic, then to the topics of the user's lists: changes of the lists meanwhile arrive on
    /// the user's topic.
    func subscribeToEverything() async throws {
        try await subscribe(BrokerFilter.own(device.user))
        for isArchived in [false, true] { try await subscribeToConversations(isArchived) }
        let groups = try await ask(ListGroups())
        try await subscribe(groups.groups.flatMap { BrokerFilter.group($0.id) })
        try await subscribe(try await friends().flatMap(BrokerFilter.friend))
    }

    private func subscribeToConversations(_ isArchived: Bool) async throws {
        var offset = 0
        while true {
            let page = try await ask(
                ListConversations(limit: Limits.pageItems, offset: offset, archived: isArchived))
            try await subscribe(page.conversations.map { .conversation($0.id) })
            offset += page.conversations.count
            guard !page.conversations.isEmpty, offset < page.total else { return }
        }
    }

    /// The users who follow the user and whom the user follows.
    private func friends() async throws -> Set<UserID> {
        let following = try await people { ListFollowing(page: $0) }
        guard !following.isEmpty else { return [] }
        return following.intersection(try await people { ListFollowers(page: $0) })
    }

    private func people<Request: PeopleRequest>(_ request: (Page) -> Request) async throws -> Set<UserID> {
        var people: Set<UserID> = []
        var cursor: String?
        repeat {
            let page = try await ask(request(Page(limit: Limits.pageItems, cursor: cursor)))
            people.formUnion(page.items.map(\.user))
            cursor = page.nextCursor
        } while cursor != nil && people.count < SessionHandle.mostFriends
        return people
    }

    private func subscribe(_ filters: [BrokerFilter]) async throws(SessionEnd) {
        guard !filters.isEmpty else { return }
        try await onLoop { $0.subscribe(filters, $1) }
    }

    /// Repeats the request while the gateway is busy: after a start of the door all devices send theirs at once.
    ///
    /// - Throws: ``SessionEnd``; `unavailable` also for a refusal.
    private func ask<Asked: Query>(_ query: Asked) async throws(SessionEnd) -> Asked.Reply
    where Asked.Reply: GatewayObject {
        let deadline = NIODeadline.now() + SessionHandle.patienceWithLists
        while true {
            let reply = try await request(Asked.operation, query.payload())
            guard let object = try? JSONObject(parsing: reply) else { throw .unavailable }
            if let data = try? object.object("data"), let read = try? Asked.Reply(members: data) { return read }
            guard let wait = SessionHandle.wait(after: object), NIODeadline.now() < deadline else {
                throw .unavailable
            }
            try? await Task.sleep(for: .milliseconds(wait))
        }
    }

    private static let patienceWithLists = TimeAmount.seconds(60)

    /// The pause before a refused request is repeated, in milliseconds; `nil` for a final refusal.
    private static func wait(after reply: JSONObject) -> Int? {
        guard let error = try? reply.object("error"), let code = try? error.choice("code", as: ErrorCode.self),
            code == .unavailable || code == .rateLimited
        else { return nil }
        let wait = (try? error.integer("retry_after_ms", in: 0...Int(Int32.max))) ?? nil
        return min(wait ?? 0, 10_000) + .random(in: 100...1000)
    }
}
