import ParleyProtocol
import Testing

@Suite("The error catalogue")
struct ErrorCodeTests {
    @Test("it has the codes of protocol §4 and no other")
    func catalogue() {
        let expected = [
            "bad_request", "unauthenticated", "forbidden", "not_found", "conflict", "too_large", "rate_limited",
            "blocked", "request_limit", "group_full", "already_in_group", "invite_invalid", "week_closed",
            "stale_devices", "unavailable", "internal",
        ]
        #expect(ErrorCode.allCases.map(\.rawValue) == expected)
        #expect(ErrorCode.allCases.allSatisfy { !$0.meaning.isEmpty })
        #expect(Set(ErrorCode.allCases.map(\.meaning)).count == expected.count)
    }
}
