import ArgumentParser
import Dispatch
import ParleyClient
import ParleyProtocol
import Synchronization

/// What a shell offers where a user or a device is asked for: those whose credentials are in the data directory; and as
/// far as the gateway answers at once, for its operator all users, and for a person those with whom they talk.
enum Completions {
    /// How long somebody who has pressed a key waits for the gateway.
    private static let patience = Duration.seconds(1)
    /// How many users of a gateway are offered.
    private static let mostUsers = 1000

    static let users = CompletionKind.custom { words, _, _ in
        let (gateway, device) = (gateway(words), acting(words))
        let known = answer { await gateway.knownUsers(as: device, most: mostUsers) }
        return Set(gateway.keptDevices.map(\.user) + known).map { "\($0)" }.sorted()
    }

    static let devices = CompletionKind.custom { words, _, _ in
        devices(in: dataDirectory(words)).map { "\($0)" }
    }

    /// Of the last user that is named before.
    static let deviceIDs = CompletionKind.custom { words, _, _ in
        let gateway = gateway(words)
        let users = words.dropLast().compactMap { UserID($0) }
        for user in users.reversed() {
            let kept = gateway.keptDevices.filter { $0.user == user }.map(\.device)
            let known = answer { (try? await gateway.ask(GetUser(user: user)).devices.map(\.device)) ?? [] }
            guard kept.isEmpty, known.isEmpty else { return Set(kept + known).map { "\($0)" }.sorted() }
        }
        return []
    }

    /// Waits for the gateway where the parser cannot: it takes asynchronous completions of commands alone, and most of
    /// these are in groups of options.
    private static func answer<Value: Sendable>(_ ask: @escaping @Sendable () async -> [Value]) -> [Value] {
        let (answer, isThere) = (Answer<Value>(), DispatchSemaphore(value: 0))
        Task.detached {
            let values = await ask()
            answer.values.withLock { $0 = values }
            isThere.signal()
        }
        isThere.wait()
        return answer.values.withLock { $0 }
    }

    private final class Answer<Value: Sendable>: Sendable {
        let values = Mutex<[Value]>([])
    }

    private static func gateway(_ words: [String]) -> LocalGateway {
        LocalGateway(path: dataDirectory(words), timeout: patience)
    }

    /// Of the command line as far as it is written, or else as for ``CommonOptions/gateway``.
    static func dataDirectory(_ words: [String]) -> String {
        value(of: "--data", words) ?? DataDirectoryOfPerson.path { Environment[$0] }
    }

    /// The device that would act.
    private static func acting(_ words: [String]) -> DeviceAddress? {
        value(of: "--as", words).flatMap { DeviceAddress($0) }
    }

    private static func value(of option: String, _ words: [String]) -> String? {
        if let index = words.lastIndex(of: option), index + 1 < words.count { return words[index + 1] }
        let assignment = option + "="
        return words.last { $0.hasPrefix(assignment) }.map { String($0.dropFirst(assignment.count)) }
    }

    static func devices(in data: String) -> [DeviceAddress] { LocalGateway(path: data, timeout: .zero).keptDevices }
}

extension LocalGateway {
    /// All users where the operator's credentials are, or else those in the conversations of a device; nobody where the
    /// gateway does not answer.
    fileprivate func knownUsers(as device: DeviceAddress?, most: Int) async -> [UserID] {
        if (try? DeviceDirectory(of: console, in: path).readCredentials()) != nil {
            return (try? await allUsers(most)) ?? []
        }
        guard let device = device ?? (try? defaultDevice()) else { return [] }
        return (try? await peers(of: device)) ?? []
    }

    private func allUsers(_ most: Int) async throws -> [UserID] {
        try await asOperator { session in
            var users: [UserID] = []
            var cursor: String?
            repeat {
                let page = try await session.data(of: ListUsers(page: Page(limit: Limits.pageItems, cursor: cursor)))
                users +=
                    try page.objects("users", maximum: Limits.pageItems)?.compactMap { user in
                        try user.level("user_id", as: UserID.self)
                    } ?? []
                cursor = try page.text("next_cursor", maximum: 1024)
            } while cursor != nil && users.count < most
            return users
        }
    }

    private func peers(of device: DeviceAddress) async throws -> [UserID] {
        try await connect(as: device) { connection in
            let list = try await GatewayRequests(connection, timeout: timeout).ask(
                ListConversations(limit: Limits.pageItems))
            return list.conversations.flatMap(\.members).map(\.user).filter { $0 != device.user }
        }
    }
}
