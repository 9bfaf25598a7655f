import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge

@Suite("Commands that are carried out once")
struct OnceHandlerTests {
    /// Without those about accounts, whose repeats come by the desk: they have tests of their own.
    private static func examples() throws -> [CommandExample] {
        try CommandExample.all().filter { example in
            let request = try example.command().request
            return request is any OnceHandler && !(request is any AccountHandler)
        }
    }

    /// The commands, each with a part of its example and another in its place.
    private static let others = [
        "activity/post": (#""5 km""#, #""6 km""#), "blobs/create": (#""size":100"#, #""size":101"#),
        "challenges/create": (#""target":10"#, #""target":11"#),
        "groups/create": (#""Runners""#, #""Walkers""#), "invites/create": (#""uses":2"#, #""uses":3"#),
        "reports/create": (#""reason":"r""#, #""reason":"s""#), "workouts/log": (#""run""#, #""walk""#),
    ]

    @Test("these are, each by its example")
    func all() throws { #expect(try Set(Self.examples().map(\.name)) == Set(Self.others.keys)) }

    @Test(
        "the same again gets the first reply and causes nothing; another field, device or user is a conflict",
        arguments: try examples())
    func once(example: CommandExample) throws {
        let (world, command) = (try example.world(), try example.command())
        let first = try world.result(of: command)
        #expect(first.code == nil)
        let again = try world.result(of: command, now: at(500))
        #expect(again.reply.payload == first.reply.payload && again.events.isEmpty && again.audience.isEmpty)
        let (part, other) = try #require(Self.others[example.name])
        let json = String(decoding: command.request.payload(), as: UTF8.self)
        #expect(json.contains(part))
        let changed = try request(type(of: command.request), json.replacing(part, with: other))
        #expect(try world.result(of: changed).code == "conflict")
        for sender in [device("alice", "laptop"), device("bob", "phone")] {
            let route = ReplyRoute(
                address: sender, operation: command.route.operation, responseTopic: nil, correlationData: nil,
                requestID: nil, isSilent: false)
            let other = IncomingCommand(route: route, askers: .everyone, request: command.request)
            #expect(try world.result(of: other).code == "conflict", "\(sender)")
        }
    }
}
