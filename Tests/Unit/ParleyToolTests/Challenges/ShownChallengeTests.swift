import ParleyClient
import ParleyProtocol
import Testing

@testable import parley

@Suite("What a challenge is about, in words")
struct ShownChallengeTests {
    @Test(
        "one of a thing is one, and more are several",
        arguments: [
            (.steps, 1, 1, "1 step in 1 day"), (.steps, 50_000, 7, "50000 steps in 7 days"),
            (.calories, 1, 2, "1 calorie in 2 days"), (.workoutCount, 1, 1, "1 workout in 1 day"),
            (.workoutCount, 3, 5, "3 workouts in 5 days"), (.streak, 1, 1, "a streak of 1 in 1 day"),
        ] as [(ChallengeType, Int, Int, String)])
    func aims(type: ChallengeType, target: Int, days: Int, aim: String) {
        let card = ChallengeCard(
            challengeID: .random(), title: "Who?", challengeType: type, target: target, durationDays: days)
        #expect(card.aim == aim)
    }
}
