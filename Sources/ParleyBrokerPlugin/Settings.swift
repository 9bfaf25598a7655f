import CMosquittoBroker
import Glibc
import ParleyRules
import Sodium

/// The plugin's options in the broker's configuration (`plugin_opt_…`).
struct Settings {
    /// `plugin_opt_public_key_file`: a file of the gateway's Ed25519 public key, 32 raw bytes.
    private(set) var publicKeyFile: String?
    /// `plugin_opt_operator_listeners`: where operators may sign in from, `unix` if it is not there.
    private(set) var operatorListenersName: String?
    private(set) var unknownOptions: [String] = []

    init(_ options: UnsafeMutablePointer<mosquitto_opt>?, count: Int) {
        guard let options = unsafe options, count > 0 else { return }
        for index in 0..<count {
            guard let key = unsafe options[index].key.map({ unsafe String(cString: $0) }) else { continue }
            let value = unsafe options[index].value.map { unsafe String(cString: $0) }
            switch key {
            case "public_key_file": publicKeyFile = value
            case "operator_listeners": operatorListenersName = value ?? ""
            default: unknownOptions.append(key)
            }
        }
    }
}

/// Why the plugin does not load, as a sentence for the broker's log.
struct LoadError: Error {
    let sentence: String

    init(_ sentence: String) { self.sentence = "parley: not loaded: \(sentence)" }
}

extension Settings {
    /// The gateway's public key, from its file.
    func publicKey() throws(LoadError) -> Ed25519.PublicKey {
        guard unknownOptions.isEmpty else {
            throw LoadError("unknown option plugin_opt_\(unknownOptions[0])")
        }
        guard let publicKeyFile, !publicKeyFile.isEmpty else {
            throw LoadError("plugin_opt_public_key_file is missing")
        }
        let bytes = try Settings.read(publicKeyFile, atMost: Ed25519.publicKeyLength + 1)
        guard let key = try? Ed25519.PublicKey(bytes: bytes) else {
            throw LoadError("\(publicKeyFile) is no public key: it must have \(Ed25519.publicKeyLength) bytes")
        }
        return key
    }

    func operatorListeners() throws(LoadError) -> OperatorListeners {
        guard let operatorListenersName else { return .unixSocket }
        guard let listeners = OperatorListeners(rawValue: operatorListenersName) else {
            throw LoadError(
                "plugin_opt_operator_listeners is \(operatorListenersName): it must be unix, loopback or any")
        }
        return listeners
    }

    /// The first bytes of a file.
    private static func read(_ path: String, atMost limit: Int) throws(LoadError) -> [UInt8] {
        guard let file = unsafe fopen(path, "rb") else {
            throw LoadError("cannot open \(path): \(unsafe String(cString: strerror(errno)))")
        }
        defer { unsafe fclose(file) }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = unsafe fread(buffer.baseAddress, 1, limit, file)
        }
        guard unsafe ferror(file) == 0 else {
            throw LoadError("cannot read \(path): \(unsafe String(cString: strerror(errno)))")
        }
        return bytes
    }
}
