import ParleyProtocol
import ParleyRules
import Testing

@Suite("How many open conversations somebody has by their own acts")
struct OpenConversationsRuleTests {
    @Test(
        "there is room below the limit, and none at it or above it",
        arguments: [(0, true), (4, true), (5, false), (6, false)])
    func limit(_ counted: Int, _ hasRoom: Bool) {
        let refusal = rejection { try OpenConversationsRule.open(counted: counted, most: 5) }
        #expect((refusal == nil) == hasRoom)
        #expect(hasRoom || refusal?.code == .forbidden && refusal?.message.contains("5 open conversations") == true)
    }
}
