import ParleyProtocol
import ParleyRules
import Testing

/// Whom one may put into a group, and what each costs.
@Suite("What entering a group costs")
struct GroupEntryRuleTests {
    private static func candidate(
        _ permission: MessagingPermission = .allowed(.anyone), isFriend: Bool = false, hasDeparted: Bool = false,
        groupsByOthers: Int = 0
    ) -> GroupEntryRule.Candidate {
        GroupEntryRule.Candidate(
            permission: permission, isFriend: isFriend, hasDeparted: hasDeparted, groupsByOthers: groupsByOthers)
    }

    private static let friend = candidate(.allowed(.mutualFollow), isFriend: true)

    private func outcome(_ candidates: [GroupEntryRule.Candidate]) -> Result<Int, Rejection> {
        do throws(Rejection) {
            return .success(try GroupEntryRule.strangers(among: candidates, mostGroupsByOthers: 500))
        } catch {
            return .failure(error)
        }
    }

    @Test("each who is no friend costs one, whatever else allows it")
    func eachStrangerCostsOne() throws {
        #expect(try outcome([]).get() == 0)
        #expect(try outcome([Self.friend, Self.friend]).get() == 0)
        #expect(try outcome([Self.candidate(), Self.friend, Self.candidate(.allowed(.acceptedRequest))]).get() == 2)
        #expect(try outcome(Array(repeating: Self.candidate(), count: 9)).get() == 9)
        // A friend who lets anyone write is a friend.
        #expect(try outcome([Self.candidate(.allowed(.anyone), isFriend: true)]).get() == 0)
    }

    @Test(
        "one who may not be put in keeps all out, and no refusal says whom it is about",
        arguments: [
            (candidate(.request), .forbidden), (candidate(.refused(.blocked)), .forbidden),
            (candidate(.refused(.requestLimit)), .forbidden), (candidate(.refused(.oneself)), .forbidden),
            (candidate(hasDeparted: true), .forbidden), (candidate(groupsByOthers: 500), .forbidden),
            (candidate(.allowed(.mutualFollow), isFriend: true, groupsByOthers: 501), .forbidden),
            (candidate(groupsByOthers: 499), nil), (candidate(.refused(.unknownUser)), .notFound),
        ] as [(GroupEntryRule.Candidate, ErrorCode?)])
    func refused(_ candidate: GroupEntryRule.Candidate, code: ErrorCode?) {
        for candidates in [[candidate, Self.friend], [Self.friend, candidate]] {
            switch outcome(candidates) {
            case .success: #expect(code == nil)
            case .failure(let rejection):
                #expect(rejection.code == code)
                #expect(code != .forbidden || outcome([Self.candidate(.request)]) == .failure(rejection))
            }
        }
    }

    @Test("no more strangers are put in at once than there is ever room for")
    func strangersAtOnce() {
        func code(_ count: Int) -> ErrorCode? {
            rejection { try GroupEntryRule.checkStrangers(count, most: 5) }?.code
        }
        #expect(code(0) == nil && code(5) == nil && code(6) == .forbidden)
    }

    @Test("who does not exist is said before anything else")
    func missingUserComesFirst() {
        #expect(outcome([Self.candidate(.request), Self.candidate(.refused(.unknownUser))]) == .failure(.userNotFound))
    }
}
