import Platform
import Testing

@testable import ParleyClient

@Suite("Commands to a connection's thread")
struct MailboxTests {
    private func isSignalled(_ mailbox: Mailbox) throws -> Bool {
        var watched = [WatchedDescriptor(mailbox.signal.wakeUp.descriptor)]
        return try waitForEvents(&watched, timeout: .zero) > 0
    }

    @Test("a stop that comes just before commands are read still wakes the thread afterwards")
    func stop() throws {
        let mailbox = try Mailbox()
        #expect(mailbox.post(.subscribe(filter: "a")) == nil)
        #expect(mailbox.drain().count == 1)
        #expect(try !isSignalled(mailbox))
        mailbox.requestStop()
        #expect(mailbox.drain().isEmpty)
        #expect(try mailbox.isStopped && isSignalled(mailbox))
    }
}
