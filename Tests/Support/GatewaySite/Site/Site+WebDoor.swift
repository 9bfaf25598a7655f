import Foundation
import Launch
import ParleyBridge
import ParleyProtocol

extension Site {
    /// Launches a web door at the site's broker, and returns at once.
    ///
    /// - Parameters:
    ///   - port: on which it listens, on loopback.
    ///   - keepsBlobs: in a folder of the site's.
    package func launchWebDoor(port: UInt16, keepsBlobs: Bool = false) throws -> ChildProcess {
        var arguments = ["--port", "\(port)", "--broker", "127.0.0.1:\(self.port)", "--name", "web"]
        if keepsBlobs { arguments += ["--accounts", doorCredentials, "--blobs", "\(directory.path)/blobs"] }
        return try webDoorFiles.launch(Programs.path("parley-web"), arguments)
    }

    /// Returns when it listens.
    package func awaitReady(webDoor: ChildProcess) throws {
        let files = webDoorFiles
        try webDoor.awaitStart("parley-web", said: files.errors) { files.output.hasPrefix("parley-web: ready") }
    }

    /// The gateway's own device by which web doors sign people in. The gateway makes it when it starts.
    package func webDoorSeat() throws -> Population.Seat {
        let data = try Data(contentsOf: URL(filePath: doorCredentials))
        return Population.Seat(.webDoor, token: try JSONDecoder().decode(DeviceCredentials.self, from: data).password)
    }

    private var doorCredentials: String {
        let folder = "\(directory.path)/\(DataDirectoryLayout.directory(of: .webDoor))"
        return "\(folder)/\(DataDirectoryLayout.credentials)"
    }

    private var webDoorFiles: ServiceFiles { ServiceFiles("parley-web", in: directory.path) }
}
