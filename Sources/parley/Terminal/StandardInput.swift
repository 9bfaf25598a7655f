import Foundation
import Platform
import ParleyClient
import ParleyProtocol
import PrivateFiles

enum StandardInput {
    /// More than a request can hold, so that the gateway can say that it is too much.
    private static let longest = 4 * Limits.requestBytes
    /// The most lines that wait to be taken.
    private static let linesAhead = 64

    /// All of it, but no more than a request can hold and a little.
    static func read() throws(ToolError) -> [UInt8] {
        do throws(FileError) {
            return try Files.readStandardInput(maximum: longest)
        } catch {
            throw ToolError(.usage, error.description)
        }
    }

    /// Its lines, without their ends, as they come.
    ///
    /// The thread that reads them ends with the input; nobody waits for it.
    static func lines() -> AsyncThrowingStream<String, any Error> {
        let (lines, continuation) = AsyncThrowingStream<String, any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(linesAhead))
        Thread.detachNewThread {
            var splitter = LineSplitter(longest: longest)
            do throws(ToolError) {
                while true {
                    guard let bytes = readAvailable(STDIN_FILENO) else { continue }
                    for line in bytes.isEmpty ? try splitter.end() : try splitter.split(bytes) {
                        // As long as nobody takes them no more are read.
                        while case .dropped = continuation.yield(line) { usleep(5_000) }
                    }
                    if bytes.isEmpty { break }
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        return lines
    }

    /// Puts a question to the person at the terminal; whether the next line of input is yes.
    static func agrees(to question: String) async throws -> Bool {
        Terminal.report(question)
        var lines = lines().makeAsyncIterator()
        guard let answer = try await lines.next() else { return false }
        return ["y", "yes"].contains(answer.lowercased())
    }

    /// `read`: the bytes that are there now; empty at the end, or for a descriptor that cannot be read; `nil` if there
    /// are none yet.
    static func readAvailable(_ descriptor: Int32) -> [UInt8]? {
        var failure: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            let result = unsafe Platform.read(descriptor, buffer.baseAddress, buffer.count)
            if result < 0 { failure = errno }
            count = max(0, result)
        }
        return failure == EINTR || failure == EAGAIN ? nil : bytes
    }
}

/// Cuts bytes that come in pieces into lines.
struct LineSplitter {
    /// In bytes.
    let longest: Int
    private var rest: [UInt8] = []

    init(longest: Int) {
        self.longest = longest
    }

    mutating func split(_ bytes: [UInt8]) throws(ToolError) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                rest.append(byte)
                guard rest.count <= longest else {
                    throw ToolError(.usage, "standard input has a line of more than \(longest) bytes")
                }
                continue
            }
            lines += try end()
        }
        return lines
    }

    /// The rest without a line end, if there is one.
    mutating func end() throws(ToolError) -> [String] {
        defer { rest = [] }
        guard let line = String(validating: rest, as: UTF8.self) else {
            throw ToolError(.usage, "standard input is not UTF-8")
        }
        return line.isEmpty ? [] : [line]
    }
}
