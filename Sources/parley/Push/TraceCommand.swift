import ArgumentParser
import ParleyClient
import ParleyProtocol

struct TraceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace", abstract: "Shows what became of a message: accepted, published, delivered, read, pushed.",
        discussion: """
            By its id or by that of a notification. There is nothing of what it says: times, names of things and what push \
            services have answered. The gateway keeps them for a while.

            Examples:
              parley trace 3ce43269-f4bd-460c-846f-5bb75c094c2f
              parley trace --json 3ce43269-f4bd-460c-846f-5bb75c094c2f | jq '.pushes[] | select(.answer != null)'
            """)

    @Argument(
        help: ArgumentHelp("The message, or the notification.", valueName: "ID"),
        transform: { text in
            guard let id = MessageID(argument: text) else { throw ValidationError("no id of a message") }
            return id
        })
    var id: MessageID

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let id = id
        let trace = try await common.gateway.asOperator { session in try await session.ask(TraceMessage(id: id.value)) }
        common.output.print(json: trace.json, as: trace.lines(in: .local))
    }
}

extension MessageTrace {
    func lines(in zone: TimeZone) -> [String] {
        var lines: [String] = []
        func stamp(_ time: Timestamp?) -> String { time.map { zone.civil($0).stamp } ?? "" }
        if let message {
            lines = [
                "message \(message.id) of \(message.sender), number \(message.seq) of conversation \(message.conversation)",
                "accepted and committed \(stamp(message.acceptedAt)), "
                    + (message.isPublished ? "published" : "not published yet"),
            ]
        }
        if !members.isEmpty {
            var table = Table(headings: ["MEMBER", "DELIVERED", "READ"])
            for member in members { table.add([member.user.text, stamp(member.deliveredAt), stamp(member.readAt)]) }
            lines += [""] + table.lines
        }
        lines += pushes.isEmpty ? [] : [""] + pushes.table(in: zone)
        return lines.isEmpty ? ["nothing is known of it"] : Array(lines.drop(while: \.isEmpty))
    }
}

extension [TracedPush] {
    func table(in zone: TimeZone) -> [String] {
        var table = Table(headings: ["USER", "DEVICE", "TYPE", "DECIDED", "DECISION", "SENT", "ATTEMPTS", "ANSWER"])
        for push in self {
            let sent = push.sentAt.map { zone.civil($0).stamp } ?? ""
            let repeats = push.repeats > 0 ? " (\(push.repeats) without an answer)" : ""
            table.add([
                push.user.text, push.device.map { "\($0), \(push.provider?.name ?? "topic")" } ?? "",
                push.type.name, zone.civil(push.decidedAt).stamp, push.decision, sent,
                push.sentAt == nil && push.attempts == 0 ? "" : "\(push.attempts)\(repeats)", push.answer ?? "",
            ])
        }
        return table.lines
    }
}

extension TracedPush {
    /// Whether there is an answer, and no retry.
    var isAnswered: Bool { answeredAt != nil && answer.map { !$0.hasPrefix("to be tried again") } ?? true }

    /// Whether the push service has accepted it.
    var isAccepted: Bool { answeredAt != nil && answer.map { $0.hasPrefix("accepted") } ?? false }
}
