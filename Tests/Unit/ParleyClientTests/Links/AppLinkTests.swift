import ParleyClient
import ParleyProtocol
import Testing

@Suite("Links that lead into an app")
struct AppLinkTests {
    private static let token = "AAAAAAAAAAAAAAAAAAAAAA"
    private static let id = "7f31a5d0-0000-4000-8000-000000000000"

    @Test(
        "each link is read as what it was made of",
        arguments: [
            ("parley://group/invite/\(token)", .invite(InviteToken(token)!)),
            ("parley://challenge/\(id)", .challenge(ChallengeID(id)!)),
            ("parley://conversation/\(id)", .conversation(ConversationID(id)!)),
            ("parley://plan/diet/low-carb_14", .dietPlan("low-carb_14")),
            ("parley://plan/workout/5k~v1.2", .workoutPlan("5k~v1.2")),
            ("parley://plan/diet/a%20b%2Fc%3F%25", .dietPlan("a b/c?%")),
            ("parley://plan/workout/%F0%9F%92%AA%1B%0A", .workoutPlan("💪\u{1B}\n")),
        ] as [(String, AppLink)])
    func links(text: String, link: AppLink) {
        #expect(AppLink(text) == link)
        #expect(link.description == text)
        #expect(link.description.utf8.allSatisfy { (0x21...0x7E).contains($0) })
    }

    @Test(
        "scheme, host and UUID are the same in capitals, and nothing else is",
        arguments: [
            ("Parley://challenge/\(id)", "parley://challenge/\(id)"),
            ("PARLEY://CHALLENGE/\(id.uppercased())", "parley://challenge/\(id)"),
            ("PARLEY://Group/invite/\(token)", "parley://group/invite/\(token)"),
            ("HTTPS://Example.ORG/i/\(token)", "parley://group/invite/\(token)"),
            ("parley://Plan/diet/LowCarb", "parley://plan/diet/LowCarb"), ("parley://plan/Diet/low-carb", nil),
            ("parley://group/Invite/\(token)", nil),
        ] as [(String, String?)])
    func capitals(text: String, link: String?) {
        #expect(AppLink(text)?.description == link)
    }

    @Test(
        "what leads nowhere is no link",
        arguments: [
            "", "parley://", "parley://group/\(id)", "parley://group/invite/", "parley://group/invite/\(token)/x",
            "parley://conversation/", "parley://conversation/1", "parley://conversation/\(id)/2",
            "parley://challenge/", "parley://challenge/1", "parley://challenge/\(id)/accept",
            "parley://challenge/\(id)?x",
            " parley://challenge/\(id)", "http://challenge/\(id)", "parley:challenge/\(id)",
            "parley://plan/1", "parley://plan/diet", "parley://plan/diet/", "parley://plan/sleep/1",
            "parley://plan/diet/a/b", "parley://plan/diet/a b", "parley://plan/diet/a?b", "parley://plan/diet/ä",
            "parley://plan/diet/%", "parley://plan/diet/%4", "parley://plan/diet/%4x", "parley://plan/diet/%+4",
            "parley://plan/diet/%FF", "parley://plan/diet/a%00", "parley://plan/diet/%C3",
            "parley://plan/diet/" + String(repeating: "a", count: 256),
        ])
    func nowhere(text: String) {
        #expect(AppLink(text) == nil)
    }

    @Test("a plan's id may be as long as a card's, whatever characters it has")
    func longest() throws {
        let id = String(repeating: "💪", count: 255)
        let link = AppLink.dietPlan(id)
        #expect(AppLink(link.description) == link)
        #expect(AppLink(AppLink.dietPlan(id + "a").description) == nil)
    }

    @Test("a card leads to what it names, and nothing else leads anywhere")
    func cards() throws {
        let challenge = ChallengeCard(
            challengeID: try #require(ChallengeID(Self.id)), title: "Who?", challengeType: .steps, target: 1,
            durationDays: 1)
        #expect(MessageContent.challenge(challenge).link == .challenge(challenge.challengeID))
        #expect(MessageContent.dietPlan(DietPlanCard(planID: "d", planTitle: "D")).link == .dietPlan("d"))
        #expect(MessageContent.workoutPlan(WorkoutPlanCard(planID: "w", planTitle: "W")).link == .workoutPlan("w"))
        #expect(MessageContent.text("parley://challenge/\(Self.id)").link == nil)
        #expect(MessageContent.unknown(type: "plan", json: []).link == nil)
    }
}
