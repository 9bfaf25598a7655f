import Foundation
import Launch
import ParleyBridge
import ParleyProtocol

extension Site {
    /// Launches a web door at the site's broker, and returns at once.
    ///
    /// - Parameter port: on which it listens, on loopback.
    package func launchWebDoor(port: UInt16) throws -> ChildProcess {
        try webDoorFiles.launch(
            Programs.path("parley-web"),
            ["--port", "\(port)", "--broker", "127.0.0.1:\(self.port)", "--name", "web"])
    }

    /// Returns when it listens.
    package func awaitReady(webDoor: ChildProcess) throws {
        let files = webDoorFiles
        try webDoor.awaitStart("parley-web", said: files.errors) { files.output.hasPrefix("parley-web: ready") }
    }

    /// The gateway's own device by which web doors sign people in. The gateway makes it when it starts.
    package func webDoorSeat() throws -> Population.Seat {
        let folder = "\(directory.path)/\(DataDirectoryLayout.directory(of: .webDoor))"
        let data = try Data(contentsOf: URL(filePath: "\(folder)/\(DataDirectoryLayout.credentials)"))
        return Population.Seat(.webDoor, token: try JSONDecoder().decode(DeviceCredentials.self, from: data).password)
    }

    private var webDoorFiles: ServiceFiles { ServiceFiles("parley-web", in: directory.path) }
}
