#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Parts read from files.
extension MultipartFormData {
    /// Adds the content of a file, read in blocks while the body is sent.
    ///
    /// The length is taken now. A file that is shorter or longer when it is sent stops the request with
    /// ``NetworkingError/Code/requestBodyLengthMismatch``; one that cannot be read then, with
    /// ``NetworkingError/Code/requestBodyFailed``. Answers to `appendPartWithFileURL:name:error:` and
    /// `appendPartWithFileURL:name:fileName:mimeType:error:`.
    ///
    /// - Parameters:
    ///   - fileURL: A file URL of a regular file, or of a link to one.
    ///   - name: The name of the part.
    ///   - fileName: The file name. Default: the last component of the path.
    ///   - mimeType: The value of the part's `Content-Type`. Default: by the extension of the file name, through the
    ///     system's tables `/etc/mime.types` and `/usr/share/mime/globs2`; `application/octet-stream` for unknown ones.
    /// - Throws: ``NetworkingError/Code/requestBodyFailed`` when the URL is no file URL, or there is no readable regular
    ///   file; ``NetworkingError/Code/requestSerializationFailed`` for a name, file name or type that cannot be sent.
    ///   The form is unchanged then.
    public mutating func append(
        fileURL: URL,
        name: String,
        fileName: String? = nil,
        mimeType: String? = nil
    ) throws(NetworkingError) {
        let (path, length) = try Self.regularFile(at: fileURL)
        let source = MultipartSource(length: length, isReplayable: true, isFile: true, path: path) {
            MultipartFileReader(path: path)
        }
        parts.append(try Self.part(name, fileName ?? fileURL.lastPathComponent, mimeType, .source(source)))
    }

    /// The path and the size of a file. Nothing but a regular file is opened: to open a pipe may block.
    private static func regularFile(at url: URL) throws(NetworkingError) -> (path: String, length: Int) {
        guard url.isFileURL else {
            throw NetworkingError(
                .requestBodyFailed,
                "Expected URL to be a file URL: \(url.redactedDescription) cannot be added to a form."
            )
        }
        let path = url.path(percentEncoded: false)
        let manager = FileManager.default
        guard manager.fileExists(atPath: path) else {
            throw NetworkingError(.requestBodyFailed, "File URL not reachable. There is no file \(path).")
        }
        let type: FileAttributeType?
        do {
            let real = url.resolvingSymlinksInPath().path(percentEncoded: false)
            type = try manager.attributesOfItem(atPath: real)[.type] as? FileAttributeType
        } catch {
            throw NetworkingError(.requestBodyFailed, "File URL not reachable. \(path): \(error)", underlying: error)
        }
        switch type {
        case .typeRegular: break
        case .typeDirectory:
            throw NetworkingError(.requestBodyFailed, "\(path) is a directory and cannot be added to a form.")
        default:
            throw NetworkingError(
                .requestBodyFailed,
                "\(path) is not a regular file and cannot be added to a form; append a stream instead."
            )
        }
        do {
            // Not from the attributes: the type of the number there depends on whether Foundation is in the process.
            return (path, try SystemFile.size(of: path))
        } catch {
            throw NetworkingError(.requestBodyFailed, "The file is not readable. \(error)", underlying: error)
        }
    }
}
