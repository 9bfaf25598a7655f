import Foundation
import MQTTClient
import ParleyProtocol
import Platform
import PrivateFiles

extension Checkup {
    private static let patience = Duration.seconds(5)

    /// Signs in as the operator's device, and asks for what the plugin lets nobody hear.
    func checkBroker() -> CheckResult {
        let socket = directory.brokerSocket
        guard (try? Files.identity(of: socket)) ?? nil != nil else {
            return CheckResult(
                "broker", .wrong,
                "there is no socket \(socket): start the broker, mosquitto -c \(directory.brokerConfiguration)")
        }
        guard let credentials = operatorCredentials else {
            return CheckResult("broker", .warning, "not asked, as there are no operator's credentials to sign in by")
        }
        var configuration = MQTTConfiguration(
            endpoint: .unixSocket(path: socket), clientID: "\(credentials.clientID):doctor")
        configuration.username = credentials.username
        configuration.password = Secret(credentials.password)
        do throws(MQTTError) {
            let connection = try MQTTConnection(configuration)
            try connection.connect(timeout: Self.patience)
            defer { connection.disconnect() }
            return try isRefusedByPlugin(connection)
                ? CheckResult("broker", .ok, "it listens, and the plugin decides")
                : CheckResult(
                    "broker", .wrong,
                    "the broker runs without the plugin, and lets everybody hear everything: stop it, and start it with "
                        + "\(directory.brokerConfiguration)")
        } catch {
            return CheckResult("broker", .wrong, sentence(error, socket))
        }
    }

    private func sentence(_ error: MQTTError, _ socket: String) -> String {
        switch error {
        case .unreachable(errno: EACCES):
            "\(socket) belongs to another user: run this as the owner of \(directory.path), or as root"
        case .unreachable:
            "nobody listens at \(socket): start the broker, mosquitto -c \(directory.brokerConfiguration)"
        case .closedWithoutVerdict: "the broker runs and waits for parleyd: start parleyd"
        case .refused: "the broker does not accept the operator's credentials: restart parleyd, which makes them anew"
        case .timedOut:
            "the broker does not answer in \(Self.patience.components.seconds) s: look into its log, and restart it"
        default: "the broker cannot be asked (\(error)): look into its log"
        }
    }

    private var operatorCredentials: DeviceCredentials? {
        let path = "\(directory.path)/\(DataDirectoryLayout.devices)/\(DeviceAddress.operatorConsole.user)"
        let prefix = DeviceAddress.operatorConsole.device.text
        guard let name = ((try? Files.names(in: path)) ?? []).filter({ $0.hasPrefix(prefix) }).min(),
            let bytes = try? Files.read("\(path)/\(name)/\(DataDirectoryLayout.credentials)", maximum: 16 * 1024).bytes
        else { return nil }
        return try? DeviceCredentials(json: bytes)
    }

    private func isRefusedByPlugin(_ connection: MQTTConnection) throws(MQTTError) -> Bool {
        try connection.subscribe(to: Topic.everyRequest, retainHandling: .never)
        let deadline = ContinuousClock.now.advanced(by: Self.patience)
        var (batch, results): (InboundBatch, [SubscriptionResult]) = (InboundBatch(), [])
        while ContinuousClock.now < deadline {
            try connection.flush()
            var watched = [WatchedDescriptor(connection.fileDescriptor, write: connection.wantsWrite)]
            _ = try? waitForEvents(&watched, timeout: .milliseconds(200))
            _ = try connection.readBatch(into: &batch, limit: 100)
            batch.removeAll()
            connection.drainSubscriptionResults(into: &results)
            if let result = results.first { return result.reason.isFailure }
        }
        throw .timedOut
    }

    /// Where devices come in, and the web door of this machine where `endpoint.json` names its port.
    func checkDoors() -> [CheckResult] {
        guard let bytes = try? Files.read(directory.endpoint, maximum: 8192).bytes,
            let object = try? JSONObject(parsing: bytes), let host = try? object.text("host", maximum: 253),
            let port = try? object.integer("mqtt_port", in: 1...Int(UInt16.max))
        else {
            return [
                CheckResult(
                    "devices' door", .wrong,
                    "\(directory.endpoint) does not say where devices connect: run parleyd init")
            ]
        }
        let isTLS = (try? object.text("scheme", maximum: 16)) == "mqtts"
        var results = [
            look("devices' door", host, port, isTLS ? "HAProxy, or open the port" : "the broker")
        ]
        if let webPort = try? object.integer("web_port", in: 1...Int(UInt16.max)) {
            results.append(look("web door", "127.0.0.1", webPort, "parley-web"))
        }
        return results
    }

    private func look(_ name: String, _ host: String, _ port: Int, _ program: String) -> CheckResult {
        let address = "\(host.contains(":") ? "[\(host)]" : host):\(port)"
        switch TCPProbe.look(host: host, port: UInt16(clamping: port), timeout: Self.patience) {
        case .answers: return CheckResult(name, .ok, "\(address) answers")
        case .nameNotResolved:
            return CheckResult(
                name, .wrong, "the name \(host) is not known on this machine: look at DNS, or at \(directory.endpoint)")
        case .unreachable(let errno):
            return CheckResult(
                name, .wrong, "\(address) does not answer (\(SystemError.reason(errno))): start \(program)")
        }
    }

    /// The services that the settings name by a key.
    func checkPushServices(_ settings: Settings?) -> [CheckResult] {
        guard let settings else { return [] }
        let services = [("apns_key_file", "apns_url"), ("fcm_account_file", "fcm_url")]
        return services.compactMap { key, url in
            guard settings.providers[key].map({ !$0.isEmpty }) ?? false, let text = settings.providers[url],
                let parts = URLComponents(string: text), let host = parts.host
            else { return nil }
            let port = parts.port ?? (parts.scheme == "http" ? 80 : 443)
            switch TCPProbe.look(host: host, port: UInt16(clamping: port), timeout: Self.patience) {
            case .answers: return CheckResult("push", .ok, "\(host):\(port) answers")
            case .nameNotResolved:
                return CheckResult("push", .wrong, "the name \(host) of \(url) is not known here: look at DNS")
            case .unreachable(let errno):
                return CheckResult(
                    "push", .wrong,
                    "\(host):\(port) does not answer (\(SystemError.reason(errno))): let parleyd through the firewall")
            }
        }
    }
}
