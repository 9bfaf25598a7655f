import Foundation

/// Stands for ciphertext, which nobody on the way can tell from random bytes.
enum Base64Text {
    static func random(bytes count: Int) -> String {
        Data((0..<count).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
    }
}
