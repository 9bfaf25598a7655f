import ParleyClient
import ParleyProtocol

// Where the passphrase of a device's keys comes from.

extension LocalGateway {
    /// Opens a device's keys with the passphrase of the file that was named; or else asks for it at the terminal if
    /// they take one.
    ///
    /// With a file, keys that are made are protected by its passphrase, and keys without protection are refused.
    func keyStore(of device: DeviceAddress) throws(ToolError) -> FileKeyStore {
        let directory = DeviceDirectory(of: device, in: path)
        if let passphrase = try readPassphraseFile() {
            return FileKeyStore(in: directory, protectedBy: .passphrase(passphrase))
        }
        guard try needsPassphrase(directory) else { return FileKeyStore(in: directory) }
        let passphrase = try ControllingTerminal.open { (terminal) throws(ToolError) in
            try Passphrase(typed: terminal.ask("the passphrase of the keys of \(device)"))
        }
        guard let passphrase else {
            throw ToolError(
                .noAnswer,
                "the keys of \(device) are protected by a passphrase, and there is no terminal to ask for it: name a file "
                    + "with --passphrase-file or in PARLEY_PASSPHRASE_FILE")
        }
        return FileKeyStore(in: directory, protectedBy: .passphrase(passphrase))
    }

    func needsPassphrase(_ directory: DeviceDirectory) throws(ToolError) -> Bool {
        do throws(KeyStoreError) {
            return try FileKeyStore(in: directory).needsPassphrase()
        } catch {
            throw ToolError(.noAnswer, error.description.printable)
        }
    }

    /// The first line of the file that was named; `nil` if none was.
    ///
    /// A file that others may use is refused, as one with keys is.
    func readPassphraseFile() throws(ToolError) -> Passphrase? {
        guard let passphraseFile else { return nil }
        let file = SecretFile(path: passphraseFile, danger: "open the keys with it")
        guard let text = try file.readFirstLine(maximum: 4 * Passphrase.maximumLength),
            let passphrase = Passphrase(text)
        else {
            throw ToolError(
                .noAnswer,
                "\(passphraseFile.printable) does not begin with a passphrase: a line of 1 to "
                    + "\(Passphrase.maximumLength) bytes of UTF-8")
        }
        return passphrase
    }
}

extension Passphrase {
    /// - Throws: ``ToolError`` if it is empty or too long.
    init(typed text: String) throws(ToolError) {
        guard let passphrase = Passphrase(text) else {
            throw ToolError(.usage, "a passphrase has 1 to \(Passphrase.maximumLength) bytes")
        }
        self = passphrase
    }
}
