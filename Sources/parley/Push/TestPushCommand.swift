import ArgumentParser
import ParleyClient
import ParleyProtocol

struct TestPushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Sends a test to each device of a user that a push service reaches.",
        discussion: """
            Connected devices get it, too. It waits until each push service has answered, half a minute at most, and \
            says what it has answered; in JSON user_id, device_id, provider, id, attempts, answered_at, answer. Exit \
            status 0: all have taken it; 1: one has not, or there is none to be reached.

            Examples:
              parley push test bob
              parley push test bob --json | jq -r .answer
            """)

    @Argument(help: ArgumentHelp("The user.", valueName: "UID"))
    var user: UserID

    @OptionGroup var common: CommonOptions

    /// How long answers are waited for, and the pause between two looks.
    private static let patience = Duration.seconds(30)
    private static let pause = Duration.milliseconds(500)

    func run() async throws {
        let (user, patience) = (user, TestPushCommand.patience)
        let tests = try await common.gateway.asOperator { session in
            let devices = try await session.ask(TestPush(user: user)).devices
            let deadline = ContinuousClock.now + patience
            var tests: [TestedPush] = []
            for device in devices {
                var test = TestedPush(user: user, device: device)
                while true {
                    let trace = try await session.ask(TraceMessage(id: device.id.value))
                    test.push = trace.pushes.first { $0.id == device.id && $0.device == device.device } ?? test.push
                    guard test.push?.isAnswered != true, .now < deadline else { break }
                    try await Task.sleep(for: TestPushCommand.pause)
                }
                tests.append(test)
            }
            return tests
        }
        guard !tests.isEmpty else {
            throw ToolError(.rejected, "no device of \(user) is registered with a push service")
        }
        common.output.print(tests, json: \.json, headings: ["DEVICE", "PROVIDER", "ATTEMPTS", "ANSWER"], row: \.row)
        guard tests.allSatisfy(\.isAccepted) else { throw ExitCode(Status.rejected.rawValue) }
    }
}

/// A test that was sent to a device, with its trace.
struct TestedPush: Sendable {
    let user: UserID
    let device: TestedDevice
    var push: TracedPush?

    var isAccepted: Bool { push?.isAccepted ?? false }

    var row: [String] {
        [
            device.device.text, device.provider.name, String(push?.attempts ?? 0),
            push?.answer ?? (push?.answeredAt == nil ? "none yet" : "answered"),
        ]
    }

    var json: [UInt8] {
        JSONWriter.object { object in
            object.member("user_id", user)
            object.member("device_id", device.device)
            object.member("provider", device.provider.name)
            object.member("id", device.id)
            object.member("attempts", push?.attempts ?? 0)
            object.member("answered_at", push?.answeredAt)
            object.member("answer", push?.answer)
        }
    }
}
