import NIOCore

extension ByteBuffer {
    /// The bytes in memory of their own, for a read from TLS: that decrypts into one buffer again
    /// and again. While slices of it are kept, it would copy all of it, however little came.
    var decryptedCopy: ByteBuffer { ByteBuffer(bytes: readableBytesView) }
}
