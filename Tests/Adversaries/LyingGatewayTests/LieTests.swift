import LyingGateway
import ParleyProtocol
import TestSupport
import Testing

@Suite("A gateway that lies", .ownThreads, .timeLimit(.minutes(20)))
struct LieTests {
    @Test("there are many lies, each with a name and a sentence of its own, told at some moment about somebody")
    func names() {
        #expect(Lie.allCases.count >= 50)
        #expect(Set(Lie.allCases.map(\.name)).count == Lie.allCases.count)
        #expect(Set(Lie.allCases.map(\.sentence)).count == Lie.allCases.count)
        #expect(Lie.allCases.allSatisfy { Lie(name: $0.name) == $0 && !$0.moments.isEmpty && !$0.scenes.isEmpty })
    }

    @Test("a lie is not believed, nothing is sealed for the attacker, and the person is told", arguments: Play.all)
    func lie(_ play: Play) async throws {
        let outcome = try await play.perform()
        if play.cannotBeSeen {
            #expect(
                !outcome.succeeds || outcome.hasTrueNumber == play.isHiddenByNumber, "whether the number shows it")
        } else if play.isDecidedByGateway {
            #expect(outcome.isWarned, "\(play.lie.sentence), and nobody is told")
        } else {
            #expect(outcome.readings.isEmpty, "\(play.lie.sentence), and the attacker reads what is sent")
            #expect(!outcome.isBelieved, "\(play.lie.sentence), and is believed")
            #expect(outcome.isWarned, "\(play.lie.sentence), and nobody is told")
        }
    }

    /// One of each kind of scene and moment.
    private static let scenes = Set(Play.all.map { [$0.scene.rawValue, $0.moment.rawValue, "\($0.lie.way)"] })
        .compactMap { key in
            Play.all.first { [$0.scene.rawValue, $0.moment.rawValue, "\($0.lie.way)"] == key }
        }

    @Test(
        "the same without a lie: nothing is read, nobody is warned, and the number is the true one", arguments: scenes)
    func truth(_ play: Play) async throws {
        let outcome = try await play.perform(isHonest: true)
        #expect(!outcome.succeeds)
        #expect(!outcome.isWarned)
        #expect(outcome.hasTrueNumber == true)
    }

    @Test("another account key of somebody whom the client has never met cannot be seen, but the number differs")
    func unseen() async throws {
        let play = Play(lie: .keys(.otherAccount), scene: .certified, moment: .beforeFirstContact)
        let outcome = try await play.perform()
        #expect(outcome.readings.map(\.text) == [#"{"text":"a secret"}"#])
        #expect(outcome.hasTrueNumber == false)
    }
}
