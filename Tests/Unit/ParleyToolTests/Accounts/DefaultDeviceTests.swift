import ParleyClient
import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import parley

@Suite("The device that acts where none is named")
struct DefaultDeviceTests {
    private let directory: TemporaryDirectory
    private var gateway: LocalGateway { LocalGateway(path: directory.path, timeout: .seconds(1)) }

    init() throws { directory = try TemporaryDirectory() }

    private func signIn(_ device: DeviceAddress) throws {
        try DeviceDirectory(of: device, in: directory.path).store(
            DeviceCredentials(of: device, password: "secret", expiresAt: Timestamp(milliseconds: 0)))
    }

    private func address(_ text: String) throws -> DeviceAddress { try #require(DeviceAddress(argument: text)) }

    @Test("nobody is signed in, one is, and of two one has to be chosen")
    func counts() throws {
        #expect(throws: ToolError.self) { try gateway.defaultDevice() }
        let (phone, laptop) = (try address("alice/phone"), try address("alice/laptop"))
        try signIn(phone)
        #expect(try gateway.defaultDevice() == phone)
        try signIn(laptop)
        let error = #expect(throws: ToolError.self) { try gateway.defaultDevice() }
        #expect(error?.status == .usage && error?.message.contains("alice/laptop, alice/phone") == true)
        try gateway.choose(laptop)
        #expect(try gateway.defaultDevice() == laptop)
    }

    @Test("who is signed in first stays the default when others come")
    func firstStays() throws {
        let (phone, laptop) = (try address("alice/phone"), try address("bob/laptop"))
        try signIn(phone)
        try gateway.settleDefault(besides: phone)
        #expect(try gateway.chosenDevice() == phone)
        try signIn(laptop)
        try gateway.settleDefault(besides: laptop)
        #expect(try gateway.defaultDevice() == phone)
        try gateway.forgetChoice(of: laptop)
        #expect(try gateway.chosenDevice() == phone)
        try gateway.forgetChoice(of: phone)
        #expect(try gateway.chosenDevice() == nil)
    }

    @Test("the gateway's own devices are nobody's default, and a choice counts while its device is signed in")
    func others() throws {
        try signIn(.operatorConsole)
        try signIn(.webDoor)
        #expect(gateway.signedInPeople().isEmpty)
        let (phone, tablet) = (try address("alice/phone"), try address("alice/tablet"))
        try signIn(phone)
        try gateway.choose(tablet)
        #expect(try gateway.defaultDevice() == phone)
        try directory.write("no device\n", to: "default-device")
        let error = #expect(throws: ToolError.self) { try gateway.defaultDevice() }
        #expect(error?.message.contains("names no device") == true)
    }
}
