/// The source of a body whose parts are separated by a boundary: a form, which can be written again
/// with another one.
protocol SeparatedBody: AnyObject, Sendable {
    var boundary: String { get }

    /// Makes the same body with another boundary.
    func makeBody(separatedBy boundary: String) throws(NetworkingError) -> RequestBody
}

extension RequestBody {
    /// The source of a body with a boundary that is known; nil for others.
    var separated: (any SeparatedBody)? { source as? any SeparatedBody }
}

/// What tells the body of one upload from that of another that is as long: the boundary of a form,
/// and the versions of the files that it is read from.
struct UploadContent: Sendable, Hashable, Codable {
    /// `Content-Type` where it is that of a multipart body, whose bytes have the boundary that it
    /// names.
    var multipartType: String?

    /// The boundary of a form, with which the same body can be made again; nil for other bodies.
    var boundary: String?

    /// The versions of the files, in the order in which they are read; nil for one that is not
    /// there.
    var files: [FileIdentity?] = []

    /// Checks that files are the same as when an upload was begun, as far as size and time tell:
    /// two versions of a file must not become one upload.
    ///
    /// - Parameters:
    ///   - begun: What the upload was begun with.
    ///   - paths: The paths of the files that are to be sent now.
    /// - Throws: ``NetworkingError/Code/requestBodyFailed`` for another version, and for another
    ///   number of files.
    func checkFiles(against begun: UploadContent, _ paths: [String]) throws(NetworkingError) {
        guard files.count == begun.files.count else {
            throw NetworkingError(
                .requestBodyFailed,
                "The upload was begun with \(Self.count(begun.files)), and cannot be continued with \(Self.count(files))."
            )
        }
        for (index, path) in paths.enumerated() {
            // One that was not there was not sent either.
            guard let known = begun.files[index], files[index]?.hasContents(of: known) != true else { continue }
            throw NetworkingError(.requestBodyFailed, "\(path) has changed since its upload was begun.")
        }
    }

    private static func count(_ files: [FileIdentity?]) -> String {
        files.count == 1 ? "one file" : "\(files.count) files"
    }
}
