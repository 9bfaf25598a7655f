import ParleyProtocol

/// The bytes by which a terminal with kitty's graphics protocol shows a picture. The terminal decodes it.
package enum KittyGraphics {
    /// The longest part of a picture in one sequence.
    private static let longestPart = 4096

    /// Draws at the cursor. The terminal is to answer nothing.
    package static func show(_ picture: PNGPicture, in room: PictureRoom) -> [UInt8] {
        var base64: [UInt8] = []
        Base64.append(picture.bytes, to: &base64)
        var keys = "a=T,f=100,q=2,C=1" + scale(picture, room)
        var output: [UInt8] = []
        var start = 0
        repeat {
            let end = min(start + longestPart, base64.count)
            output += Array("\u{1B}_G\(keys),m=\(end < base64.count ? 1 : 0);".utf8)
            output += base64[start..<end]
            output += [0x1B, UInt8(ascii: "\\")]
            (start, keys) = (end, "q=2")
        } while start < base64.count
        return output
    }

    /// Removes all pictures.
    package static let removal = Array("\u{1B}_Ga=d,q=2\u{1B}\\".utf8)

    /// Bound by one side, the terminal keeps the proportions. A smaller picture is not enlarged.
    private static func scale(_ picture: PNGPicture, _ room: PictureRoom) -> String {
        let (width, height) = (room.columns * room.cell.width, room.rows * room.cell.height)
        guard picture.width > width || picture.height > height else { return "" }
        let isBoundByWidth = picture.width * height >= picture.height * width
        return isBoundByWidth ? ",c=\(room.columns)" : ",r=\(room.rows)"
    }
}
