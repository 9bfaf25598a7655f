import ParleyProtocol
import TestSupport
import Testing

/// One user with hundreds of requests beside one with few. Each test has a gateway of its own.
@Suite("Fair turns", .ownThreads)
struct FairTurnsTests {
    private static let pages = 200

    /// Asks for hundreds of pages as `busy`, then for one thing as `other`, and reads for both until that is answered:
    /// not after everything that was asked before, though it is long in coming on a machine that does other things,
    /// too.
    private func expectTurn(of other: DeviceClient, beside busy: DeviceClient, _ operation: String, _ fields: JSON)
        throws
    {
        let pages = try (0..<Self.pages).map { _ in try busy.ask("conversations/list", (["limit": 200] as JSON).bytes) }
        _ = try busy.reply(to: pages[0])
        let before = busy.inbox.count
        let asked = try other.ask(operation, fields.bytes)
        _ = try eventually("a reply to \(other.user)") { () -> DeviceClient.Message? in
            try other.receive(timeout: .milliseconds(1))
            guard let reply = other.inbox.first(where: { $0.correlation == asked }) else {
                try busy.receive(timeout: .milliseconds(1))
                return nil
            }
            return reply
        }
        #expect(try other.reply(to: asked)["ok"] == true)
        #expect(busy.inbox.count - before < Self.pages - 1, "\(operation)")
        // No request is forgotten.
        for page in pages.dropFirst() { #expect(try busy.reply(to: page)["ok"] == true) }
    }

    @Test("a user with hundreds of long pages waiting waits; another is answered at once, reads and writes")
    func reads() throws {
        let gateway = try TestGateway()
        let clients = try gateway.clients(2)
        let (alice, bob) = (clients[0], clients[1])
        for _ in 0..<40 { _ = try alice.group(with: bob) }
        try expectTurn(of: bob, beside: alice, "profile/get", [:])
        try expectTurn(of: bob, beside: alice, "conversations/list", ["limit": 1])
        try expectTurn(of: bob, beside: alice, "profile/set", ["display_name": "Bob"])
    }
}
