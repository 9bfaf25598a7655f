import ArgumentParser
import ParleyClient
import ParleyProtocol
import TestNames
import Testing

@testable import parley

@Suite("The command that repeats a workout")
struct LogWorkoutCommandTests {
    private static let workout = LogWorkout(
        id: .random(), completedAt: Timestamp(milliseconds: 1_768_469_400_123), timeZone: "Europe/Berlin",
        kind: "bike & 'run'", minutes: 30)

    private func parse(_ arguments: [String]) throws -> LogWorkoutCommand {
        try #require(try Parley.parseAsRoot(arguments) as? LogWorkoutCommand)
    }

    @Test("names the id, the time and the zone, and whatever else the workout is, as a shell reads it")
    func whole() throws {
        let first = try parse(["workout", "log", "--as", "alice/phone", "--data", "/my data"])
        let workout = Self.workout
        #expect(
            first.commandLine(of: workout)
                == "parley workout log --as alice/phone --id \(workout.id) --at 2026-01-15T09:30:00.123Z "
                + #"--zone Europe/Berlin --kind 'bike & '\''run'\''' --minutes 30 --data '/my data'"#)
    }

    @Test("is understood as the same workout")
    func understood() throws {
        let plain = LogWorkout(
            id: Self.workout.id, completedAt: Self.workout.completedAt, timeZone: "Asia/Kolkata", kind: nil,
            minutes: nil)
        let words = try parse(["workout", "log", "--as", "alice/phone"]).commandLine(of: plain).split(separator: " ")
        let again = try parse(words.dropFirst().map(String.init))
        #expect(again.id == plain.id && again.at == plain.completedAt && again.zone == plain.timeZone)
        #expect(again.kind == nil && again.minutes == nil && again.sender.named?.description == "alice/phone")
    }

    @Test("is worth nothing where the credentials are refused or missing")
    func credentials() {
        let gateway = LocalGateway(path: "/nonexistent", timeout: .seconds(1))
        let device = DeviceAddress(user: "alice", device: "phone")
        #expect(!gateway.failure(.ended(.notAuthorized), device).canBeRepeated)
        #expect(!gateway.failure(.timedOut(cause: .notAuthorized), device).canBeRepeated)
        #expect(gateway.failure(.timedOut(cause: nil), device).canBeRepeated)
        #expect(gateway.failure(.timedOut(cause: .notReady), device).canBeRepeated)
    }

    @Test(
        "a word for a shell is quoted where it has to be, and printable",
        arguments: [
            ("run", "run"), ("Europe/Berlin", "Europe/Berlin"), ("", "''"), ("a b", "'a b'"), ("$x", "'$x'"),
            ("Straße", "'Straße'"), ("a'b\n", #"$'a\047b\012'"#), ("\u{1B}[2J", #"$'\033\1332J'"#),
        ])
    func words(text: String, word: String) {
        #expect(text.shellWord == word)
        #expect(word.printable == word)
    }
}
