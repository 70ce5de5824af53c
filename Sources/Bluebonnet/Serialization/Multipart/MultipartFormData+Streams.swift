import NIOCore

/// Parts produced while they are sent.
extension MultipartFormData {
    /// Adds the pieces of an asynchronous sequence. The form can then be sent once.
    ///
    /// Counterpart of `appendPartWithInputStream:name:fileName:length:mimeType:`.
    ///
    /// - Parameters:
    ///   - stream: The pieces. They are read only as fast as the connection sends them, and not
    ///     before the parts in front of them are sent.
    ///   - name: The name of the part.
    ///   - fileName: The file name. Default: none.
    ///   - length: The length in bytes, if known; without, the whole body is sent chunked. A
    ///     sequence that turns out shorter or longer stops the request with
    ///     ``NetworkingError/Code/requestBodyLengthMismatch``.
    ///   - mimeType: The value of the part's `Content-Type`. Default: by the extension of the file
    ///     name; none without a file name.
    public mutating func append<Pieces: AsyncSequence & Sendable>(
        stream: Pieces,
        name: String,
        fileName: String? = nil,
        length: Int? = nil,
        mimeType: String? = nil
    ) where Pieces.Element: Collection<UInt8> {
        let use = SingleUse()
        append(name, fileName, mimeType, length, isReplayable: false) {
            guard use.begin() else {
                throw NetworkingError(
                    .requestBodyNotReplayable,
                    "The form part “\(MultipartPartHead.display(name))” is a stream that has been read already."
                )
            }
            return MultipartSequenceReader(stream.makeAsyncIterator())
        }
    }

    /// Adds the pieces of a sequence that is made anew each time the form is sent.
    ///
    /// - Parameters:
    ///   - name: The name of the part.
    ///   - fileName: The file name. Default: none.
    ///   - length: The length in bytes, if known; without, the whole body is sent chunked. A
    ///     sequence that turns out shorter or longer stops the request with
    ///     ``NetworkingError/Code/requestBodyLengthMismatch``.
    ///   - mimeType: The value of the part's `Content-Type`. Default: by the extension of the file
    ///     name; none without a file name.
    ///   - makeStream: Makes the sequence of pieces.
    public mutating func append<Pieces: AsyncSequence & SendableMetatype>(
        name: String,
        fileName: String? = nil,
        length: Int? = nil,
        mimeType: String? = nil,
        makeStream: @escaping @Sendable () -> Pieces
    )
    where Pieces.AsyncIterator: SendableMetatype, Pieces.Element: SendableMetatype, Pieces.Element: Collection<UInt8> {
        append(name, fileName, mimeType, length, isReplayable: true) {
            MultipartSequenceReader(makeStream().makeAsyncIterator())
        }
    }

    private mutating func append(
        _ name: String,
        _ fileName: String?,
        _ mimeType: String?,
        _ length: Int?,
        isReplayable: Bool,
        open: @escaping @Sendable () throws -> any MultipartReader
    ) {
        append { () throws(NetworkingError) in
            guard length ?? 0 >= 0 else {
                throw NetworkingError(
                    .requestSerializationFailed,
                    "The form part “\(MultipartPartHead.display(name))” has the negative length \(length ?? 0)."
                )
            }
            let source = MultipartSource(length: length, isReplayable: isReplayable, isFile: false, open: open)
            return try Self.part(name, fileName, mimeType, .source(source))
        }
    }
}
