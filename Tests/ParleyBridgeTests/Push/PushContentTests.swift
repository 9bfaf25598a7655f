import ParleyProtocol
import ParleyPush
import TestNames
import Testing

@testable import ParleyBridge

@Suite("What a push service is given")
struct PushContentTests {
    @Test("a webhook gets no ciphertext of what is to disappear, and whoever drops what has expired does")
    func disappearing() throws {
        func ciphertexts(expiresIn: Int?, withFCM: Bool) throws -> [Bool] {
            let world = try PushWorld()
            if withFCM { try world.registerWithFCM() }
            try world.write(expiresIn: expiresIn)
            let deliveries = try world.build(try world.step().result.begun).deliveries
            #expect(deliveries.allSatisfy { $0.notification.subject.seq == 1 })
            return deliveries.map { $0.notification.message != nil }
        }
        #expect(try ciphertexts(expiresIn: nil, withFCM: false) == [true])
        #expect(try ciphertexts(expiresIn: 60, withFCM: false) == [false])
        #expect(try ciphertexts(expiresIn: 60, withFCM: true) == [true])
    }
}
