import ArgumentParser
import ParleyClient
import ParleyProtocol

struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Ends a device's token at the gateway, and removes its credentials here.",
        discussion: """
            The device's keys and messages stay in DIR/devices/UID/DID/, for the next `parley login` of the same address; \
            whoever wants none of it left removes that directory. Where the gateway cannot be reached nothing is changed.

            Other devices of the account stay signed in; `parley request --as UID/DID account/sign-out-everywhere` ends \
            them all.
            """)

    @OptionGroup var sender: SenderOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let gateway = common.gateway
        let device = try sender.device(gateway)
        guard device.user != DeviceAddress.operatorConsole.user else {
            throw ToolError(.usage, "an operator's device is ended by: parley device revoke")
        }
        try gateway.requireCredentials(DeviceDirectory(of: device, in: gateway.path))
        try await gateway.endToken(of: device)
        let directory = DeviceDirectory(of: device, in: gateway.path)
        do throws(CredentialsError) {
            try directory.removeCredentials(copies: LocalGateway.mosquittoClients.map(\.file))
        } catch {
            throw ToolError(.noAnswer, "\(device) is signed out, but its credentials could not be removed: \(error)")
        }
        try gateway.forgetChoice(of: device)
        common.output.print(done: "signed out \(device)")
        Terminal.report("its keys and messages stay in \(directory.path)")
    }
}

extension LocalGateway {
    /// Revokes a device by its own token. A token that has ended already is no error.
    fileprivate func endToken(of device: DeviceAddress) async throws {
        do {
            let reply = try await connect(as: device) { connection in
                try await connection.request(
                    RevokeDevice.operation, payload: RevokeDevice(device: device.device).payload(), timeout: timeout)
            }
            if let rejection = reply.rejection, rejection.code != .unauthenticated { throw ToolError(rejection) }
        } catch let failure as NoReplyError {
            switch failure {
            // A device that revokes itself is disconnected before the reply could reach it, and refused from then on.
            case .ended(.notAuthorized), .timedOut(.notAuthorized?): return
            case .ended, .timedOut, .malformedReply, .tooManyWaiting, .cancelled:
                throw self.failure(failure, device)
            }
        }
    }
}
