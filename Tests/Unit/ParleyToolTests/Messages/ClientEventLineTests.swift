import ParleyClient
import ParleyProtocol
import Testing

@testable import parley

@Suite("What is printed of a client's events")
struct ClientEventLineTests {
    private struct DiskFullError: Error, CustomStringConvertible {
        var description: String { "the disk is full" }
    }

    private let phone = DeviceAddress(user: UserID(validated: "alice"), device: DeviceID(validated: "phone"))

    @Test("a token that was not renewed is one line, with the reason and the day on which it ends if that is known")
    func tokenNotRenewed() throws {
        let end = try #require(Timestamp("2026-12-22T14:44:47.000Z"))
        let event = ClientEvent.tokenNotRenewed(.notSaved(DiskFullError()), expiresAt: end)
        let sentence =
            "the token was not renewed, which is tried again; this device cannot sign in after 2026-12-22T14:44:47.000Z: "
            + "the new token could not be saved: the disk is full"
        #expect(event.warning(for: phone) == "WARNING: " + sentence)
        #expect(event.line(asJSON: false) == sentence)
        let object = try JSONObject(parsing: Array(try #require(event.line(asJSON: true)).utf8))
        #expect(try object.text("event", maximum: 64) == "token.not_renewed")
        #expect(try object.text("message", maximum: 512) == sentence)
        #expect(try object.text("expires_at", maximum: 64) == end.description)

        let unknown = ClientEvent.tokenNotRenewed(.unreadable(DiskFullError()), expiresAt: nil)
        #expect(
            unknown.warning(for: phone)
                == "WARNING: the token was not renewed, which is tried again: the disk is full")
    }

    @Test(
        "what was kept and is refused is told by what it is, to a person and to a program",
        arguments: [
            (
                RefusedRequest.workout(WorkoutID("7f31a5d0-0000-4000-8000-000000000001")), "workouts/log",
                "workout 7f31a5d0"
            ),
            (
                .workoutDeletion(WorkoutID("7f31a5d0-0000-4000-8000-000000000001")), "workouts/delete",
                "taking back of workout 7f31a5d0"
            ),
            (.day(CivilDay(daysSinceEpoch: 20_000), version: 7), "metrics/report", "report of 2024-10-04"),
        ])
    func refused(_ request: RefusedRequest, _ operation: String, _ what: String) throws {
        let event = ClientEvent.requestRefused(request, Rejection(.weekClosed, "The week is over.\u{1B}[2J"))
        let sentence = "the gateway refuses the \(what): The week is over.\\u{1b}[2J"
        #expect(event.warning(for: phone) == "WARNING: " + sentence)
        #expect(event.line(asJSON: false) == sentence)
        let object = try JSONObject(parsing: Array(try #require(event.line(asJSON: true)).utf8))
        #expect(try object.text("event", maximum: 64) == "request.refused")
        #expect(try object.text("operation", maximum: 64) == operation)
        #expect(try object.text("code", maximum: 64) == "week_closed")
        switch request {
        case .workout(let id), .workoutDeletion(let id): #expect(try object.uuid("workout_id") == id)
        case .day(let day, let version):
            #expect(try object.text("day", maximum: 64) == day.description)
            #expect(try object.integer("version", in: 0...100) == version)
        }
    }

    @Test("a device that is notified of nothing any more is named, with the reason")
    func pushEnded() throws {
        let end = PushEnd(
            device: phone, provider: .known(.webpush), reason: .known(.taken),
            at: try #require(Timestamp("2026-01-19T00:00:00.000Z")))
        let event = ClientEvent.gateway(end)
        #expect(
            event.line(asJSON: false)
                == "alice/phone is registered with webpush no more (taken): it is notified of nothing until it registers again"
        )
        #expect(event.warning(for: phone) == nil)
        let line = Array(try #require(event.line(asJSON: true)).utf8)
        #expect(try JSONObject(parsing: line).text("event", maximum: 64) == "push.ended")
        #expect(try PushEnd(json: line) == end)
    }

    @Test(
        "a change of a group's members names the group",
        arguments: [
            (.joined, nil, "bob is in Morning run now"), (.left, nil, "bob has left Morning run"),
            (.removed, nil, "bob was removed from Morning run"),
            (.roleChanged, .known(.admin), "bob is admin of Morning run now"),
        ] as [(GroupMemberEvent.Kind, Named<MemberRole>?, String)])
    func members(kind: GroupMemberEvent.Kind, role: Named<MemberRole>?, sentence: String) throws {
        let group = GroupID.random()
        let event = ClientEvent.gateway(
            GroupMemberEvent(kind, GroupMemberChange(group: group, user: "bob", by: "alice", role: role)))
        #expect(event.line(asJSON: false, Titles(groups: [group: "Morning run"])) == sentence)
        #expect(try #require(event.line(asJSON: true)).contains(group.description))
    }

    @Test("a sentence has the beginning of an id, and the object for programs the whole")
    func beginnings() throws {
        let (message, conversation, workout) = (MessageID.random(), ConversationID.random(), WorkoutID.random())
        let expired = ClientEvent.messageRemoved(message, in: conversation, because: .expired)
        #expect(expired.line(asJSON: false) == "message \(message.short) has disappeared")
        #expect(try #require(expired.line(asJSON: true)).contains(message.description))
        let reply = WorkoutReply(id: workout, week: try #require(ISOWeek("2026-W03")), checkIns: 1, streakDays: 2)
        let reported = ClientEvent.workoutReported(reply)
        #expect(
            reported.line(asJSON: false) == "the gateway has workout \(workout.short): 1 in week 2026-W03, streak 2")
        #expect(
            reply.loggedSentence
                == "week 2026-W03: 1 check-in, 2 days in a row; parley workout delete \(workout.short) takes it back")
    }

    @Test("a week that is over is told with the group, the week and when it is closed")
    func weekEnded() throws {
        let time = try #require(Timestamp("2026-01-19T00:00:00.000Z"))
        let group = GroupID.random()
        let end = WeekEnd(
            group: group, week: try #require(ISOWeek("2026-W03")),
            startsAt: time.advanced(byMilliseconds: -604_800_000),
            endsAt: time, closesAt: time.advanced(byMilliseconds: 43_200_000))
        let event = ClientEvent.gateway(end)
        #expect(
            event.line(asJSON: false)
                == "week 2026-W03 of group \(group.short) has ended; what comes late counts until 2026-01-19T12:00:00.000Z"
        )
        #expect(event.warning(for: phone) == nil)
        let object = try JSONObject(parsing: Array(try #require(event.line(asJSON: true)).utf8))
        #expect(try object.text("event", maximum: 64) == "week.ended")
        let week = try #require(try object.object("week"))
        #expect(try WeekEnd(reading: week) == end)
    }
}
