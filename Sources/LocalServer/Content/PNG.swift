import CZlib

/// Writes PNG files (RFC 2083): eight bits for each of red, green and blue, not interlaced.
enum PNG {
    /// The file of an image.
    ///
    /// - Parameters:
    ///   - width: The width in pixels, at least 1.
    ///   - pixels: Three bytes for each pixel, row after row; whole rows.
    /// - Returns: The bytes.
    static func file(width: Int, pixels: [UInt8]) -> [UInt8] {
        let rowSize = width * 3
        let height = pixels.count / rowSize
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        // Bit depth 8, color type 2 (RGB), the only compression, filter method and no interlacing.
        append("IHDR", bytes(UInt32(width)) + bytes(UInt32(height)) + [8, 2, 0, 0, 0], to: &file)
        append("IDAT", Compressor.compress(filtered(pixels, rowSize), as: .zlib), to: &file)
        append("IEND", [], to: &file)
        return file
    }

    /// The rows with the filter Sub, which replaces a byte by its difference to the pixel on the
    /// left (RFC 2083 §6.3): areas of one color and gradients become small.
    private static func filtered(_ pixels: [UInt8], _ rowSize: Int) -> [UInt8] {
        var rows: [UInt8] = []
        rows.reserveCapacity(pixels.count + pixels.count / rowSize)
        for start in stride(from: 0, to: pixels.count, by: rowSize) {
            rows.append(1)
            for index in start..<start + rowSize {
                rows.append(index < start + 3 ? pixels[index] : pixels[index] &- pixels[index - 3])
            }
        }
        return rows
    }

    /// Appends a chunk: length, type, data, and the CRC of type and data (RFC 2083 §3.2).
    private static func append(_ type: String, _ data: [UInt8], to file: inout [UInt8]) {
        let checked = Array(type.utf8) + data
        // The pointer is valid: the array outlives the call in the closure, and the count is its.
        let checksum = unsafe checked.withUnsafeBufferPointer { buffer in
            unsafe crc32(0, buffer.baseAddress, UInt32(buffer.count))
        }
        file += bytes(UInt32(data.count)) + checked + bytes(UInt32(truncatingIfNeeded: checksum))
    }

    /// The bytes of a number, the most significant one first.
    private static func bytes(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
