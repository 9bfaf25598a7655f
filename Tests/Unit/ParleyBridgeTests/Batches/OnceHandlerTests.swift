import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge

@Suite("Commands that are carried out once")
struct OnceHandlerTests {
    private static func examples() throws -> [CommandExample] {
        try CommandExample.all().filter { try $0.command().request is any OnceHandler }
    }

    @Test("these are, each by its example")
    func all() throws {
        let names = [
            "activity/post", "challenges/create", "groups/create", "invites/create", "reports/create", "workouts/log",
        ]
        #expect(try Self.examples().map(\.name).sorted() == names)
    }

    @Test(
        "the same again gets the first reply and causes nothing; from another device or user it is a conflict",
        arguments: try examples())
    func once(example: CommandExample) throws {
        let (world, command) = (try example.world(), try example.command())
        let first = try world.result(of: command)
        #expect(first.code == nil)
        let again = try world.result(of: command, now: at(500))
        #expect(again.reply.payload == first.reply.payload && again.events.isEmpty && again.audience.isEmpty)
        for sender in [device("alice", "laptop"), device("bob", "phone")] {
            let route = ReplyRoute(
                address: sender, operation: command.route.operation, responseTopic: nil, correlationData: nil,
                requestID: nil, isSilent: false)
            let other = IncomingCommand(route: route, isForOperators: false, request: command.request)
            #expect(try world.result(of: other).code == "conflict", "\(sender)")
        }
    }
}
