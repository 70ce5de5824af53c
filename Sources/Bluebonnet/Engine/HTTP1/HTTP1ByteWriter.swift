import HTTPTypes

/// Writes into memory of known size, for heads whose size was counted before.
///
/// Safe while the memory it was made with is valid, because every write is checked against its end.
@safe struct HTTP1ByteWriter {
    private let memory: UnsafeMutableRawBufferPointer
    /// The number of bytes written.
    private(set) var count = 0

    init(_ memory: UnsafeMutableRawBufferPointer) {
        unsafe self.memory = memory
    }

    @inline(__always)
    mutating func write(_ text: String) {
        // Copied before the closure returns.
        let isWritten: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe write(UnsafeRawBufferPointer(bytes))
        }
        guard isWritten == nil else { return }
        // A string that is not in memory as UTF-8, from Objective-C.
        unsafe Array(text.utf8).withUnsafeBytes { unsafe write($0) }
    }

    @inline(__always)
    mutating func write(_ text: StaticString) {
        // A static string's bytes live as long as the program.
        unsafe write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func write(_ bytes: [UInt8]) {
        // Copied before the closure returns.
        unsafe bytes.withUnsafeBytes { unsafe write($0) }
    }

    /// Writes the bytes of a field value as they are.
    @inline(__always)
    mutating func write(valueOf field: HTTPField) {
        // Copied before the closure returns.
        unsafe field.withUnsafeBytesOfValue { unsafe write(UnsafeRawBufferPointer($0)) }
    }

    /// Writes a field with its line ending.
    @inline(__always)
    mutating func write(line field: HTTPField) {
        write(field.name.rawName)
        write(": ")
        write(valueOf: field)
        write("\r\n")
    }

    @inline(__always)
    private mutating func write(_ bytes: UnsafeRawBufferPointer) {
        unsafe precondition(bytes.count <= memory.count - count, "the size of the head was counted wrong")
        guard let target = unsafe memory.baseAddress, let source = bytes.baseAddress else { return }
        unsafe (target + count).copyMemory(from: source, byteCount: bytes.count)
        count &+= bytes.count
    }
}
