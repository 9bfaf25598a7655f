import ParleyProtocol
import ParleyRules
import TestNames
import Testing

private typealias Side = Contact.Side

/// What the engine says of alice writing to bob.
@Suite("Permission to write")
struct MessagingPermissionTests {
    static let day: Int64 = 86_400_000
    static let renewal = 30 * day

    static func decide(
        _ alice: Contact.Side, _ bob: Contact.Side, friendsUntil: Timestamp? = nil, now: Timestamp = at(0)
    )
        -> MessagingPermission
    {
        .decide(
            from: "alice", to: "bob", Contact("alice", alice, "bob", bob, friendsUntil: friendsUntil), now: now,
            renewal: .milliseconds(renewal))
    }

    @Test("nobody writes to themselves or to nobody")
    func nobodyWritesToThemselves() {
        let contact = Contact(strangers: "alice", "bob")
        #expect(
            MessagingPermission.decide(from: "alice", to: "alice", contact, now: at(0), renewal: .zero)
                == .refused(.oneself))
        #expect(
            MessagingPermission.decide(from: "alice", to: "alice", nil, now: at(0), renewal: .zero)
                == .refused(.oneself))
        #expect(
            MessagingPermission.decide(from: "alice", to: "bob", nil, now: at(0), renewal: .zero)
                == .refused(.unknownUser))
    }

    @Test(
        "the end of a friendship leaves no request for thirty days",
        arguments: [
            (Int64(0), .refused(.requestLimit)), (renewal - 1, .refused(.requestLimit)), (renewal, .request),
            (-1, .refused(.requestLimit)), (renewal * 100, .request),
        ] as [(Int64, MessagingPermission)])
    func afterFriendship(later: Int64, expected: MessagingPermission) {
        #expect(Self.decide(Side(), Side(), friendsUntil: at(0), now: at(later)) == expected)
    }

    @Test("what is limited is good for a message and for nothing else")
    func limitedIsForMessagesAlone() {
        let all = Set(MessagingPermission.Action.allCases)
        func permitted(_ permission: MessagingPermission) -> Set<MessagingPermission.Action> {
            all.filter { permission.permits($0) }
        }
        for ground in MessagingPermission.Ground.allCases { #expect(permitted(.allowed(ground)) == all) }
        #expect(permitted(.request) == [.message])
        for refusal in MessagingPermission.Refusal.allCases { #expect(permitted(.refused(refusal)).isEmpty) }
    }

    @Test("an explanation says of each step whether it holds, and the first that does has decided")
    func explanationOfEachStep() {
        for alice in Self.sides {
            for bob in Self.sides {
                let contact = Contact("alice", alice, "bob", bob)
                let explanation = PermissionExplanation(
                    from: "alice", to: "bob", contact, now: at(0), renewal: .milliseconds(Self.renewal))
                #expect(explanation.permission == Self.decide(alice, bob))
                #expect(explanation.steps.map(\.step) == MessagingPermission.Step.allCases)
                #expect(explanation.steps.allSatisfy { !$0.detail.isEmpty })
                let first = explanation.steps.first(where: \.holds)?.step
                switch explanation.permission {
                case .allowed(.anyone): #expect(first == .messagePrivacy)
                case .allowed(.mutualFollow): #expect(first == .mutualFollow)
                case .allowed(.acceptedRequest): #expect(first == .acceptedRequest)
                case .request: #expect(first == nil)
                case .refused(.requestLimit): #expect(first == .requestAllowance)
                case .refused(.blocked): #expect(first == .block)
                case .refused(.oneself), .refused(.unknownUser): Issue.record("two people")
                }
            }
        }
    }

    /// Every side that there can be.
    static let sides: [Contact.Side] = [false, true].flatMap { follows in
        [false, true].flatMap { blocks in
            MessagePrivacy.allCases.flatMap { privacy in
                (MessageRequestState.allCases + [nil]).map {
                    Side(follows: follows, blocks: blocks, privacy: privacy, request: $0)
                }
            }
        }
    }

    /// Nobody learns by the engine's answer that they were blocked: a bob who has blocked alice is to her one who lets
    /// followers write and does not follow.
    @Test("a block of the other's is told as a stranger's silence")
    func blockLooksLikeSilence() {
        for alice in Self.sides where !alice.blocks {
            for bob in Self.sides where bob.blocks {
                let stranger = alice.request == .accepted ? Side(request: .declined) : alice
                #expect(Self.decide(alice, bob) == Self.decide(stranger, Side()))
            }
        }
    }
}
