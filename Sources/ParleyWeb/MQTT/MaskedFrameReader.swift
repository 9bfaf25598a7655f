/// Parses a client's WebSocket frames (RFC 6455 §5) as their bytes arrive, complete or not.
///
/// A frame is judged by its header, and its payload is handed on as it arrives: the announcement of a long frame costs
/// no memory. NIO's decoder would collect whole frames.
struct MaskedFrameReader: Sendable {
    /// The longest message in all its frames, in bytes.
    var longestMessage: Int
    private var state: State
    /// The bytes of a fragmented message so far; `nil` between messages.
    private var messageLength: Int?

    private enum State: Sendable {
        /// The part of a frame's header received so far.
        case header([UInt8])
        case payload(Frame)
    }

    private struct Frame: Sendable {
        let kind: Kind
        let mask: [UInt8]
        var remaining: Int
        /// The index of the next byte of the mask.
        var offset = 0
        /// The part of a control frame received so far: at most 125 bytes.
        var payload: [UInt8] = []
    }

    private enum Kind: Sendable {
        case data
        case ping
        case pong
        case close
    }

    /// The content of one chunk of a client's stream.
    struct Contents: Sendable {
        /// The number of data bytes, now at the front of the chunk.
        var count = 0
        /// The payload of the last ping, to be sent back; earlier ones need no answer (§5.5.3).
        var ping: [UInt8]?
        /// The client's close frame. Nothing behind it was read.
        var close: Close?
    }

    /// A close frame's status code; `nil` if it has none (§5.5.1).
    struct Close: Hashable, Sendable {
        let code: UInt16?
    }

    init(longestMessage: Int) {
        self.longestMessage = longestMessage
        state = .header([])
    }
}

extension MaskedFrameReader {
    /// Moves the data in `bytes`, unmasked and without its frames, to their front.
    mutating func read(_ bytes: inout MutableSpan<UInt8>) throws(MQTTRefusal) -> Contents {
        var contents = Contents()
        var position = 0
        while position < bytes.count, contents.close == nil {
            switch state {
            case .header(var header):
                // Emptied, since appending would copy it otherwise.
                state = .header([])
                header.append(bytes[position])
                position += 1
                if let frame = try begin(header) { try advance(frame, &contents) } else { state = .header(header) }
            case .payload(var frame):
                let count = min(frame.remaining, bytes.count - position)
                unmask(&frame, &bytes, position..<(position + count), &contents)
                position += count
                try advance(frame, &contents)
            }
        }
        return contents
    }

    /// The frame with this header; `nil` while the header is incomplete.
    private mutating func begin(_ header: [UInt8]) throws(MQTTRefusal) -> Frame? {
        let (isFinal, opcode) = (header[0] & 0x80 != 0, header[0] & 0x0F)
        guard header[0] & 0x70 == 0 else { throw .protocolError }
        guard opcode != 0x1 else { throw .textFrame }
        guard header.count >= 2 else { return nil }
        // A client masks all frames (§5.1).
        guard header[1] & 0x80 != 0 else { throw .protocolError }
        let marker = Int(header[1] & 0x7F)
        let width = marker < 126 ? 0 : marker == 126 ? 2 : 8
        guard header.count == 2 + width + 4 else { return nil }
        let length = try Self.length(marker, header[2..<(2 + width)])
        let mask = Array(header[(2 + width)...])
        if opcode < 0x8 {
            try count(length, isFinal: isFinal, isContinuation: opcode == 0, isData: opcode == 0 || opcode == 0x2)
            return Frame(kind: .data, mask: mask, remaining: length)
        }
        guard isFinal, length <= 125 else { throw .protocolError }
        switch opcode {
        case 0x8: return Frame(kind: .close, mask: mask, remaining: length)
        case 0x9: return Frame(kind: .ping, mask: mask, remaining: length)
        case 0xA: return Frame(kind: .pong, mask: mask, remaining: length)
        default: throw .protocolError
        }
    }

    /// The length of a payload, in its shortest form (§5.2).
    private static func length(_ marker: Int, _ extended: ArraySlice<UInt8>) throws(MQTTRefusal) -> Int {
        guard !extended.isEmpty else { return marker }
        let value = extended.reduce(into: UInt64(0)) { $0 = $0 << 8 | UInt64($1) }
        guard value > (extended.count == 2 ? 125 : 0xFFFF), let length = Int(exactly: value) else {
            throw .protocolError
        }
        return length
    }

    /// Adds a data frame to its message.
    private mutating func count(
        _ length: Int, isFinal: Bool, isContinuation: Bool, isData: Bool
    ) throws(MQTTRefusal) {
        guard isData, isContinuation == (messageLength != nil) else { throw .protocolError }
        let (total, isTooLong) = (messageLength ?? 0).addingReportingOverflow(length)
        guard !isTooLong, total <= longestMessage else { throw .tooLong }
        messageLength = isFinal ? nil : total
    }

    private func unmask(
        _ frame: inout Frame, _ bytes: inout MutableSpan<UInt8>, _ range: Range<Int>, _ contents: inout Contents
    ) {
        for place in range {
            let byte = bytes[place] ^ frame.mask[frame.offset]
            frame.offset = (frame.offset + 1) & 3
            switch frame.kind {
            case .data:
                bytes[contents.count] = byte
                contents.count += 1
            case .ping, .close: frame.payload.append(byte)
            case .pong: break
            }
        }
        frame.remaining -= range.count
    }

    /// Continues the payload, or ends the frame.
    private mutating func advance(_ frame: Frame, _ contents: inout Contents) throws(MQTTRefusal) {
        guard frame.remaining == 0 else {
            state = .payload(frame)
            return
        }
        state = .header([])
        switch frame.kind {
        case .data, .pong: break
        case .ping: contents.ping = frame.payload
        case .close: contents.close = try Self.close(frame.payload)
        }
    }

    /// The codes that a close frame may have (§7.4).
    private static func close(_ payload: [UInt8]) throws(MQTTRefusal) -> Close {
        guard !payload.isEmpty else { return Close(code: nil) }
        guard payload.count >= 2 else { throw .protocolError }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: return Close(code: code)
        default: throw .protocolError
        }
    }
}
