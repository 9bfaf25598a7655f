#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import ParleyProtocol

/// The general coder, for the kinds that are too cold to be coded by hand: Foundation's, configured once.
///
/// Names are spelled by each type's coding keys; times and ids code themselves; bytes are standard base64.
package enum JSONCoder {
    /// How the text is laid out.
    package enum Layout: Sendable {
        /// As it goes over the wire: no white space, keys in no order that may be relied on.
        case compact
        /// As a person reads it in a file: indented, keys sorted, a line feed at the end.
        case file
    }

    private static let decoder = JSONDecoder()

    private static let compactEncoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        return encoder
    }()

    private static let fileEncoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    /// Reads one object. What the protocol refuses (protocol §1: duplicate keys, depth, encodings, trailing commas) is
    /// refused before Foundation sees it, which would let some of it pass and overflow the stack on other.
    package static func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from bytes: [UInt8]
    ) throws(CodingFault) -> Value {
        do throws(JSONFault) {
            _ = try JSONObject(parsing: bytes)
        } catch {
            throw .notJSON(error)
        }
        do {
            return try decoder.decode(type, from: Data(bytes))
        } catch let error as DecodingError {
            throw CodingFault(error)
        } catch {
            throw .mismatch(path: "", problem: "unreadable")
        }
    }

    /// Writes one value, which must be an object for `decode` to read it again.
    package static func encode(_ value: some Encodable, _ layout: Layout = .compact) throws(CodingFault) -> [UInt8] {
        do {
            switch layout {
            case .compact: return Array(try compactEncoder.encode(value))
            case .file: return Array(try fileEncoder.encode(value)) + [UInt8(ascii: "\n")]
            }
        } catch EncodingError.invalidValue(_, let context) {
            throw .unencodable(path: context.codingPath.path)
        } catch {
            throw .unencodable(path: "")
        }
    }
}
