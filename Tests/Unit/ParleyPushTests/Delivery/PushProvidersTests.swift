import ParleyProtocol
import Testing

@testable import ParleyPush

@Suite("The table of push services")
struct PushProvidersTests {
    @Test("each provider of the protocol stands in it once, and all but webhooks replace what is earlier")
    func complete() {
        let providers = PushProviders.all.map { $0.provider }
        #expect(providers.count == PushProvider.allCases.count && Set(providers) == Set(PushProvider.allCases))
        #expect(PushProvider.allCases.filter { !$0.replacesEarlier } == [.webhook])
    }
}
