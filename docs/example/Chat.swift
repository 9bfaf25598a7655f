import Foundation
import ParleyClient
import ParleyMosquitto
import ParleyProtocol

/// A chat in a terminal with somebody on a remote gateway, over TLS: docs/client.md says how it is run.
@main
struct Chat {
    let peer: UserID
    let configuration: ClientConfiguration

    static func main() async throws {
        guard let chat = try Chat(Array(CommandLine.arguments.dropFirst())) else {
            FileHandle.standardError.write(Data("usage: chat DIR USER/DEVICE HOST PORT PEER [CA-FILE]\n".utf8))
            exit(2)
        }
        try await MessagingClient.open(chat.configuration) { client in try await chat.run(client) }
    }

    /// DIR is of the app alone. `DIR/devices/USER/DEVICE/credentials.json` is the file that the gateway's operator, or
    /// the app's own server, has made for this device; keys and messages are kept beside it.
    init?(_ arguments: [String]) throws {
        guard (5...6).contains(arguments.count), let port = UInt16(arguments[3]) else { return nil }
        let device = try DeviceAddress(validating: arguments[1])
        let directory = DeviceDirectory(of: device, in: arguments[0])
        let gateway = GatewayAddress.tls(
            host: arguments[2], port: port, caFile: arguments.count == 6 ? arguments[5] : nil)
        var connection = DeviceConfiguration(gateway: gateway, device: device, over: MosquittoTransport()) {
            try directory.readCredentials()
        }
        connection.renewal = .stored(in: directory)
        configuration = ClientConfiguration(
            connection: connection, keys: FileKeyStore(in: directory), directory: directory)
        peer = try UserID(validating: arguments[4])
    }

    /// Sends each line of standard input, and shows the conversation, until the input ends.
    private func run(_ client: MessagingClient) async throws {
        let events = client.events()
        try await client.ready()
        let conversation = try await client.conversation(with: peer).id
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await show(conversation, client) }
            group.addTask { try await report(events) }
            var last: MessageID?
            for await line in lines() where !line.isEmpty {
                last = try await client.send(.text(line), to: conversation)
            }
            if let last { print("sent, number \(try await client.outcome(of: last).seq)") }
            group.cancelAll()
        }
    }

    private func show(_ conversation: ConversationID, _ client: MessagingClient) async throws {
        for await update in client.timeline(of: conversation) {
            // A view would delete, insert and draw these rows; a terminal only prints them.
            for row in update.inserted + update.updated { print(line(of: update.messages[row])) }
            if let newest = update.messages.last(where: { $0.sender.user == peer && $0.position != nil }) {
                try await client.markRead(conversation, upTo: newest.id)
            }
        }
    }

    private func line(of message: ChatMessage) -> String {
        let number = message.position.map { "#\($0.seq)" } ?? "…"
        let mark = (message.isEdited ? " (edited)" : "") + (message.protection == .bound ? "" : " (old app)")
        let text =
            switch message.content {
            case .opened(let content):
                if case .text(let text) = content.value { text } else { "[\(content.value)]" }
            case .unreadable(let reason): "[unreadable: \(reason)]"
            case .removed: "[deleted]"
            case .system: "[notice]"
            }
        return "\(number) \(message.sender.user)\(mark): \(text)"
    }

    /// What a person has to know. No event but a message has content.
    private func report(_ events: AsyncStream<ClientEvent>) async throws {
        for await event in events {
            switch event {
            case .waiting(let reason): print("no connection: \(reason)")
            case .ended(let reason): throw reason
            case .keys(let notice): print(notice)
            case .failed(_, _, let reason): print("not sent: \(reason)")
            case .gatewayFault(let fault): print("the gateway is at fault: \(fault)")
            default: break
            }
        }
    }

    /// The lines of standard input, which a thread waits for.
    private func lines() -> AsyncStream<String> {
        AsyncStream { lines in
            Thread.detachNewThread {
                while let line = readLine() { lines.yield(line) }
                lines.finish()
            }
        }
    }
}
