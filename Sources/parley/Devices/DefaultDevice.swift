import ParleyClient
import ParleyProtocol
import PrivateFiles

// The device that acts where nobody names one.

extension LocalGateway {
    private static let choiceFile = "default-device"

    /// The one that was chosen, or else the only one that is signed in here.
    func defaultDevice() throws(ToolError) -> DeviceAddress {
        if let chosen = try chosenDevice() { return chosen }
        let devices = signedInPeople()
        guard let device = devices.first else {
            throw ToolError(
                .noAnswer,
                "nobody is signed in in \(path); sign in with: parley login FILE, where an operator made one, or parley "
                    + "login https://HOST")
        }
        guard devices.count == 1 else {
            let names = devices.map(\.description).joined(separator: ", ")
            throw ToolError(
                .usage, "name one of the devices that are signed in with --as, or choose one by parley use: \(names)")
        }
        return device
    }

    /// Has a device act where none is named, from now on.
    func choose(_ device: DeviceAddress) throws(ToolError) {
        do throws(FileError) {
            try Files.replace(LocalGateway.choiceFile, in: path, with: Array("\(device)\n".utf8))
        } catch {
            throw ToolError(.noAnswer, error.description.printable)
        }
    }

    /// Nobody is chosen any more, if this device was.
    func forgetChoice(of device: DeviceAddress) throws(ToolError) {
        guard try chosenDevice() == device else { return }
        do throws(FileError) {
            try Files.remove(LocalGateway.choiceFile, in: path)
        } catch {
            throw ToolError(.noAnswer, error.description.printable)
        }
    }

    /// After a sign-in: who has acted here stays the one who does.
    func settleDefault(besides device: DeviceAddress) throws(ToolError) {
        let others = signedInPeople().filter { $0 != device }
        let chosen = try chosenDevice() ?? (others.count <= 1 ? others.first ?? device : nil)
        guard let chosen else { return }
        try choose(chosen)
        guard chosen != device else { return }
        Terminal.report("\(chosen) acts where --as names nobody; parley use \(device) changes that")
    }

    /// - Returns: `nil` unless a device is chosen whose credentials are still here.
    func chosenDevice() throws(ToolError) -> DeviceAddress? {
        let file: FileContents
        do throws(FileError) {
            file = try Files.read("\(path)/\(LocalGateway.choiceFile)", maximum: 256)
        } catch {
            guard error.isMissing else { throw ToolError(.noAnswer, error.description.printable) }
            return nil
        }
        let text = String(decoding: file.bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard let device = DeviceAddress(argument: text) else {
            throw ToolError(.noAnswer, "\(path)/\(LocalGateway.choiceFile) names no device; parley use chooses one")
        }
        return hasCredentials(device) ? device : nil
    }

    /// The devices of people whose credentials are here.
    func signedInPeople() -> [DeviceAddress] {
        keptDevices.filter { device in
            device.user != DeviceAddress.operatorConsole.user && device.user != DeviceAddress.webDoor.user
                && hasCredentials(device)
        }
    }

    private func hasCredentials(_ device: DeviceAddress) -> Bool {
        (try? DeviceDirectory(of: device, in: path).readCredentials()) != nil
    }
}
