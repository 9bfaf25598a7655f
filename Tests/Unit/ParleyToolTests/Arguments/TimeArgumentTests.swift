import ArgumentParser
import ParleyProtocol
import Testing

@testable import parley

@Suite("Times as arguments")
struct TimeArgumentTests {
    @Test(
        "a time of RFC 3339 is read, with a fraction or none, in UTC or with an offset, and sent as the contract has it",
        arguments: [
            ("2026-01-15T07:30:00Z", "2026-01-15T07:30:00.000Z"),
            ("2026-01-15T07:30:00.5Z", "2026-01-15T07:30:00.500Z"),
            ("2026-01-15T07:30:00.123Z", "2026-01-15T07:30:00.123Z"),
            ("2026-01-15T07:30:00.123999999Z", "2026-01-15T07:30:00.123Z"),
            ("2026-01-15t07:30:00.01z", "2026-01-15T07:30:00.010Z"),
            ("2026-01-15T00:30:00+01:00", "2026-01-14T23:30:00.000Z"),
            ("2026-01-15T07:30:00.25-08:30", "2026-01-15T16:00:00.250Z"),
            ("2026-01-15T07:30:00-00:00", "2026-01-15T07:30:00.000Z"),
            ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ])
    func read(argument: String, time: String) {
        #expect(Timestamp(argument: argument)?.description == time)
    }

    @Test(
        "what is no such time is refused",
        arguments: [
            "", "now", "2026-01-15", "2026-01-15T07:30Z", "2026-01-15T07:30:00", "2026-01-15T07:30:00.Z",
            "2026-01-15T07:30:00.0000000001Z", "2026-01-15T07:30:00.1", "2026-01-15T07:30:00 Z", "2026-01-15 07:30:00Z",
            "2026-02-29T07:30:00Z", "2026-01-15T24:00:00Z", "2026-01-15T07:30:00+1:00", "2026-01-15T07:30:00+0100",
            "2026-01-15T07:30:00+24:00", "2026-01-15T07:30:00+01:60", "2026-01-15T07:30:00+01:00Z",
            "2026-01-15T07:30:00.+1Z", "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "2026-01-15T07:30:00é",
        ])
    func refused(argument: String) {
        #expect(Timestamp(argument: argument) == nil)
    }

    @Test("the help's example of a workout with a time is understood")
    func example() throws {
        let help = LogWorkoutCommand.helpMessage(columns: 400)
        let example = try #require(
            help.split(separator: "\n").first { $0.contains("workout log") && $0.contains("--at") })
        let arguments = example.split(separator: " ").dropFirst().map(String.init)
        let command = try #require(try Parley.parseAsRoot(arguments) as? LogWorkoutCommand)
        #expect(command.at?.description == "2026-01-15T07:30:00.000Z")
    }
}
