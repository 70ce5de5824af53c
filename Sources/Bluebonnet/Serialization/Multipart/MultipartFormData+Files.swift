public import FoundationEssentials

/// Parts read from files.
extension MultipartFormData {
    /// Adds the content of a file, read in blocks while the body is sent.
    ///
    /// The length is taken now. A file that is shorter or longer when it is sent stops the request
    /// with ``NetworkingError/Code/requestBodyLengthMismatch``; one that cannot be read then, with
    /// ``NetworkingError/Code/requestBodyFailed``. Counterpart of
    /// `appendPartWithFileURL:name:error:` and
    /// `appendPartWithFileURL:name:fileName:mimeType:error:`.
    ///
    /// - Parameters:
    ///   - fileURL: A file URL of a regular file, or of a link to one.
    ///   - name: The name of the part.
    ///   - fileName: The file name. Default: the last component of the path.
    ///   - mimeType: The value of the part's `Content-Type`. Default: by the extension of the file
    ///     name, through the system's tables `/etc/mime.types` and `/usr/share/mime/globs2`;
    ///     `application/octet-stream` for unknown ones.
    /// - Throws: ``NetworkingError/Code/requestBodyFailed`` when the URL is not a file URL, or not
    ///   that of a readable regular file; ``NetworkingError/Code/requestSerializationFailed`` for a
    ///   name, file name or type that cannot be sent. The form is unchanged then.
    public mutating func append(
        fileURL: URL,
        name: String,
        fileName: String? = nil,
        mimeType: String? = nil
    ) throws(NetworkingError) {
        let (path, length) = try RequestBody.regularFile(
            at: fileURL,
            to: "be added to a form",
            insteadOfPipe: "append"
        )
        let source = MultipartSource(length: length, isReplayable: true, isFile: true, path: path) {
            MultipartFileReader(path: path)
        }
        parts.append(try Self.part(name, fileName ?? fileURL.lastPathComponent, mimeType, .source(source)))
    }
}
