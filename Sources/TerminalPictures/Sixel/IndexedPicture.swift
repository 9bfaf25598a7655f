/// A picture in the colors of ``ColorCube``, of at most 4 MiB.
struct IndexedPicture: Hashable, Sendable {
    let width: Int
    let height: Int
    /// One for each pixel, row by row from the top.
    let colors: [UInt8]
}

extension IndexedPicture {
    /// Decodes a PNG, as large as fits. Beside the result a row of the picture is held, or for one that is interlaced
    /// the sums for all pixels of the result: 64 MiB at most.
    init(_ picture: PNGPicture, fitting room: PictureRoom) throws(PNGError) {
        let size = room.fitted(width: picture.width, height: picture.height)
        var scaler = PictureScaler(picture.header, to: size)
        var dithering = Dithering(width: size.width)
        var colors: [UInt8] = []
        colors.reserveCapacity(size.width * size.height)
        let pixels = PNGPixels(picture)
        var rows = try PNGRows(picture)
        try rows.forEach { (pass, index, bytes) throws(PNGError) in
            let row = pass.firstRow + index * pass.rowStep
            for index in 0..<pass.columns {
                let column = pass.firstColumn + index * pass.columnStep
                scaler.add(try pixels.pixel(index, of: bytes), column: column, row: row)
            }
            if scaler.completesRow(row) { scaler.takeRows({ colors += dithering.colors($0) }, endingAt: row) }
        }
        if picture.header.isInterlaced {
            scaler.takeRows({ colors += dithering.colors($0) }, endingAt: picture.height - 1)
        }
        self.init(width: size.width, height: size.height, colors: colors)
    }
}
