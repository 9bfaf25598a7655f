import MQTTWire
import Foundation
import Launch
import ParleyBridge
import ParleyProtocol
import ParleyStore

/// The files of a site.
package struct Installation {
    package let template: String
    /// Temporary directories are made in it; it should be on the kind of disk that a gateway would have.
    package let scratch: String

    package init(template: String, scratch: String) { (self.template, self.scratch) = (template, scratch) }
}

/// A gateway of our own in a temporary directory: one broker with the plugin, and in front of it the gateway or, by
/// turns, another program. Everything is gone when the site is.
package final class Site {
    package let directory: DataDirectory
    package let port: UInt16
    package let broker: ChildProcess
    /// Options of `parleyd run` for a database that is not in the directory.
    private let storeOptions: [String]

    /// For a program to end by itself.
    package static let grace = Duration.seconds(10)

    /// `parleyd.json`, by which no limit of a rate applies.
    package static let settings = """
        {"request_burst":10000000,"requests_per_second":1000000,"first_message_burst":10000000,
        "first_messages_per_hour":10000000,"stranger_lookups_per_hour":10000000,"publish_burst":10000000,
        "publishes_per_second":1000000,
        "publish_burst_bytes":1099511627776,"publish_bytes_per_second":1099511627776,"subscribe_burst":10000000,
        "subscribes_per_second":1000000,"connections_per_device":1000,"connections_per_user":1000,
        "connection_names_per_day":1000,
        "stored_bytes_per_day":1099511627776,"probe_port":0}
        """

    /// - Parameter populate: fills the database before anything runs.
    package convenience init(_ installation: Installation, populate: (Store, TokenIssuer) throws -> Void) throws {
        try self.init(installation, storeOptions: []) { directory in
            let store = try Store(path: directory.database)
            try populate(store, TokenIssuer(key: try directory.readSigningKey()))
            try store.checkpoint()
        }
    }

    /// - Parameters:
    ///   - storeOptions: of `parleyd run`, for a database that is not in the directory.
    ///   - complete: completes the directory before anything runs.
    package init(
        _ installation: Installation, storeOptions: [String], complete: (DataDirectory) throws -> Void
    ) throws {
        let directory = DataDirectory(path: try Site.temporaryDirectory(in: installation.scratch))
        var isComplete = false
        defer { if !isComplete { Site.remove(directory) } }

        try directory.prepare()
        try Site.settings.write(toFile: directory.settings, atomically: false, encoding: .utf8)
        try complete(directory)

        port = try freePort()
        try BrokerTemplate(path: installation.template).install(
            in: directory,
            BrokerTemplate.Values(
                plugin: try Programs.path("libParleyBrokerPlugin.so"), mqttPort: Int(port), user: NSUserName()))
        let files = ServiceFiles("mosquitto", in: directory.path)
        broker = try files.launch(Programs.mosquitto, ["-c", directory.brokerConfiguration])
        // The gateway's listener is the last that the broker opens.
        try broker.awaitStart("mosquitto", said: files.errors) {
            FileManager.default.fileExists(atPath: directory.brokerSocket)
        }
        self.directory = directory
        self.storeOptions = storeOptions
        isComplete = true
    }

    /// Starts the gateway, and returns when it is ready.
    ///
    /// - Parameter parleyd: the program, if it is not the one of this build.
    package func startGateway(_ parleyd: String? = nil) throws -> ChildProcess {
        try start(
            parleyd ?? Programs.path("parleyd"), ["run", "--data", directory.path] + storeOptions, name: "parleyd")
    }

    /// Starts this program once more, to stand in the gateway's place, and returns when it is ready.
    package func startOwnProgram(_ arguments: [String], name: String) throws -> ChildProcess {
        try start(Programs.own, arguments, name: name)
    }

    private func start(_ path: String, _ arguments: [String], name: String) throws -> ChildProcess {
        let files = ServiceFiles(name, in: directory.path)
        let child = try files.launch(path, arguments)
        try files.awaitReady(child)
        return child
    }

    /// How many messages of these conversations the gateway has stored. It must not be running.
    package func storedMessages(in conversations: [Population.Group]) throws -> Int {
        try Population.storedMessages(in: conversations, Store(path: directory.database))
    }

    /// Ends the broker and removes every file.
    package func close() {
        broker.end(grace: Site.grace)
        Site.remove(directory)
    }

    /// Makes a directory of its own.
    package static func temporaryDirectory(in scratch: String) throws -> String {
        var template = "\(scratch)/parley-site.XXXXXX".utf8CString
        let isMade = unsafe template.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return false }
            return unsafe mkdtemp(start) != nil
        }
        guard isMade else { throw SiteError.noDirectory(scratch) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    package static func remove(_ directory: DataDirectory) {
        try? FileManager.default.removeItem(atPath: directory.path)
    }
}

package enum SiteError: Error, CustomStringConvertible {
    case noDirectory(String)
    case badName

    package var description: String {
        switch self {
        case .noDirectory(let scratch): "no directory can be made in \(scratch)"
        case .badName: "a user's name is too long"
        }
    }
}
