import ParleyProtocol
import ParleyRules
import Testing

@Suite("What the gateway makes of what people have achieved")
struct NewActivityTests {
    @Test("the milestones of a streak are eight, and then each year")
    func milestones() {
        let all = (0...1200).filter(StreakMilestones.contains)
        #expect(all == [3, 7, 14, 30, 50, 100, 200, 365, 730, 1095])
        for before in [0, 2, 3, 6, 364, 365, 729, 1100] {
            for now in [0, 3, 7, 8, 365, 730, 1094, 1095, 1200] {
                let expected = all.filter { $0 > before && $0 <= now }
                #expect(StreakMilestones.reached(from: before, to: now) == expected, "\(before) to \(now)")
            }
        }
    }

    @Test("each streak has its own milestones, and each challenge its own winner")
    func keys() throws {
        let challenge = ChallengeID(UUIDValue(high: 1, low: 1))
        let all: [NewActivity] = [
            .streakMilestone(days: 3, since: "2026-01-15"), .streakMilestone(days: 7, since: "2026-01-15"),
            .streakMilestone(days: 3, since: "2026-02-01"), .challengeWon(challenge, .steps, target: 5),
            .challengeWon(ChallengeID(UUIDValue(high: 1, low: 2)), .steps, target: 5),
        ]
        #expect(Set(all.map(\.key)).count == all.count)
        for activity in all {
            // What goes with it is what a device may post, too.
            let metadata = String(decoding: activity.metadata, as: UTF8.self)
            let post =
                #"{"id":"\#(ActivityID(UUIDValue(high: 1, low: 1)))","type":"goal_reached","title":"\#(activity.title)","#
                + #""metadata":\#(metadata)}"#
            #expect(try PostActivity(members: JSONObject(parsing: Array(post.utf8))).metadata == activity.metadata)
        }
    }
}
