import ParleyClient
import ParleyProtocol
import PrivateFiles

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
        let passphrase = try HiddenTerminal.open { (terminal) throws(ToolError) in
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
        let path = passphraseFile.printable
        let file: FileContents
        do throws(FileError) {
            file = try Files.read(passphraseFile, maximum: 4 * Passphrase.maximumLength)
        } catch {
            throw ToolError(.noAnswer, error.description.printable)
        }
        guard !file.isOpenToOthers else {
            throw ToolError(
                .noAnswer,
                "\(path) can be read by others than its owner, who could open the keys with it; correct it with: "
                    + "chmod 600 \(path)")
        }
        let line = file.bytes.prefix { $0 != UInt8(ascii: "\n") }
        guard let text = String(validating: line, as: UTF8.self), let passphrase = Passphrase(text) else {
            throw ToolError(
                .noAnswer,
                "\(path) does not begin with a passphrase: a line of 1 to \(Passphrase.maximumLength) bytes of UTF-8"
            )
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
