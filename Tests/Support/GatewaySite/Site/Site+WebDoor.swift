import Launch
import ParleyBridge

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

    private var webDoorFiles: ServiceFiles { ServiceFiles("parley-web", in: directory.path) }
}
