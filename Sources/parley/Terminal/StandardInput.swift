import ParleyClient
import ParleyProtocol
import PrivateFiles

enum StandardInput {
    /// All of it, but no more than a request can hold and a little, so that the gateway can say that it is too much.
    static func read() throws(Failure) -> [UInt8] {
        do throws(FileError) {
            return try Files.readStandardInput(maximum: 4 * Limits.requestBytes)
        } catch {
            throw Failure(.usage, error.description)
        }
    }
}
