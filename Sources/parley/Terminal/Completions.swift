import ArgumentParser
import Dispatch
import ParleyClient
import ParleyProtocol
import Synchronization

/// What a shell offers where a user or a device is asked for: those whose credentials are in the data directory, and on
/// the gateway's own machine those that the gateway knows, as far as it answers at once.
enum Completions {
    /// How long somebody who has pressed a key waits for the gateway.
    private static let patience = DispatchTimeInterval.seconds(1)
    /// How many users of a gateway are offered.
    private static let mostUsers = 1000

    static let users = CompletionKind.custom { words, _, _ in
        let gateway = gateway(words)
        let known = answer { try await gateway.users(mostUsers) }
        return Set(gateway.keptDevices.map(\.user) + known).map { "\($0)" }.sorted()
    }

    static let devices = CompletionKind.custom { words, _, _ in
        devices(in: dataDirectory(words)).map { "\($0)" }
    }

    /// Of the user whose id is the word before.
    static let deviceIDs = CompletionKind.custom { words, index, _ in
        guard words.indices.contains(index - 1), let user = UserID(words[index - 1]) else { return [] }
        let gateway = gateway(words)
        let known = answer { try await gateway.ask(GetUser(user: user)).devices.map(\.device) }
        return Set(gateway.keptDevices.filter { $0.user == user }.map(\.device) + known).map { "\($0)" }.sorted()
    }

    /// What the gateway answers to its operator; nothing where the operator's credentials are not here, and where there
    /// is no answer in time: then a thread is left to the end of the process, which comes at once.
    ///
    /// The parser takes asynchronous completions in commands alone, and most of these are in groups of options.
    private static func answer<Value: Sendable>(_ ask: @escaping @Sendable () async throws -> [Value]) -> [Value] {
        let (answer, isThere) = (Answer<Value>(), DispatchSemaphore(value: 0))
        Task.detached {
            let values = (try? await ask()) ?? []
            answer.values.withLock { $0 = values }
            isThere.signal()
        }
        _ = isThere.wait(timeout: .now() + patience)
        return answer.values.withLock { $0 }
    }

    private final class Answer<Value: Sendable>: Sendable {
        let values = Mutex<[Value]>([])
    }

    private static func gateway(_ words: [String]) -> LocalGateway {
        LocalGateway(path: dataDirectory(words), timeout: .seconds(1))
    }

    /// Of the command line as far as it is written, or else as for ``CommonOptions/gateway``.
    static func dataDirectory(_ words: [String]) -> String {
        if let index = words.lastIndex(of: "--data"), index + 1 < words.count { return words[index + 1] }
        let assignment = "--data="
        if let word = words.last(where: { $0.hasPrefix(assignment) }) {
            return String(word.dropFirst(assignment.count))
        }
        return DataDirectoryOfPerson.path { Environment[$0] }
    }

    static func devices(in data: String) -> [DeviceAddress] { LocalGateway(path: data, timeout: .zero).keptDevices }
}

extension LocalGateway {
    /// The first users of the gateway, in the order in which it lists them.
    fileprivate func users(_ most: Int) async throws -> [UserID] {
        try await asOperator { session in
            var users: [UserID] = []
            var cursor: String?
            repeat {
                let page = try await session.data(of: ListUsers(page: Page(limit: Limits.pageItems, cursor: cursor)))
                let listed = try page.objects("users", maximum: Limits.pageItems) ?? []
                users += try listed.compactMap { try $0.level("user_id", as: UserID.self) }
                // A page that is not the last has an item.
                cursor = listed.isEmpty ? nil : try page.text("next_cursor", maximum: 1024)
            } while cursor != nil && users.count < most
            return users
        }
    }
}
