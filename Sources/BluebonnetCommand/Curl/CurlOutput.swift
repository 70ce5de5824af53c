import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// What a line for curl says of its response and of retries, beside what requests have as options.
struct CurlOutput: Equatable, Sendable {
    /// The URL as it is written.
    var url = ""
    /// Whether a content coding is undone, as with `--compressed` only.
    var decodesContent = false
    /// Whether the body of a 4xx or 5xx response is neither shown nor saved, as with `-f`.
    var hidesFailures = false
    /// The file of the heads, of `-D`; `-` is standard output.
    var headFile: String?
    /// Whether the file has the name that the server gives, as with `-J`.
    var takesNameOfServer = false
    /// Whether the folder of the file is made, as with `--create-dirs`.
    var makesFolder = false
    /// The folder of the file, of `--output-dir`.
    var folder: String?
    /// What is written behind the body, of `-w`.
    var report: CurlReport?
    /// Whether every failure is one after which a request is sent again, as with
    /// `--retry-all-errors`.
    var retriesAllErrors = false
    /// The seconds between attempts, of `--retry-delay`.
    var retryDelay: Double?

    /// A path in the folder of `--output-dir`.
    func path(of name: String) -> String { folder.map { "\($0)/\(name)" } ?? name }

    /// Changes the policy of retries.
    ///
    /// - Parameter policy: The policy of `--retry`.
    func apply(to policy: inout RetryPolicy) {
        if retriesAllErrors {
            policy.errorCodes = Set(NetworkingError.Code.all.filter { ![.request, .ended].contains($0.family) })
            // A status is an error with `-f` only.
            if hidesFailures { policy.statusCodes = Set(400..<600) }
        }
        if let retryDelay {
            policy.backoff = RetryBackoff(first: .seconds(retryDelay), factor: 1, longest: nil, isRandom: false)
        }
    }

    /// Makes the folder of a file, where that is wanted.
    ///
    /// - Parameter path: The path of the file.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage``.
    func makeFolder(of path: String) throws(CommandFailure) {
        guard makesFolder, let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
        let folder = String(path[..<end])
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw .usage("\(SystemFailure(folder, of: error)?.description ?? "\(folder): \(error)").")
        }
    }
}

extension RequestRunner {
    /// Writes a response as curl does: a failure is saved too unless there is `-f`, and the heads
    /// of `-i` are written where the body is.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - curl: What the line says of it.
    /// - Returns: Whether all of it is written; else its body is still to be shown.
    /// - Throws: `NetworkingError` or ``CommandFailure``.
    func write(_ response: TransportResponse, as curl: CurlOutput) async throws -> Bool {
        Terminal.shared.endStatus()
        let heads = Self.heads(of: response)
        if let file = curl.headFile { try write(heads, toPath: file) }
        let isHidden = curl.hidesFailures && response.head.status.code >= 400
        if let savedPath, !isHidden || options.include {
            let named = curl.takesNameOfServer ? Self.suggestedName(in: response) : nil
            let body = WholeMessage(
                heads: options.include ? Self.text(of: heads) : Data(),
                body: isHidden ? .data(Data()) : response.body
            )
            // A name that a server has chosen must not replace a file of the user's.
            try await save(.stream(body), as: named.map(curl.path) ?? savedPath, replaces: named == nil)
        } else if savedPath == nil, options.include {
            try write(heads, toPath: "-")
        }
        if isHidden { tellStatus(of: response) }
        return isHidden || savedPath != nil
    }

    /// The heads of all responses: those of redirects and authentication, and the last one.
    private static func heads(of response: TransportResponse) -> [ResponseHead] {
        let earlier = response.metrics?.transactions.dropLast().compactMap(\.response) ?? []
        return earlier + response.informational + [response.head]
    }

    /// The heads as they are sent (RFC 9112 §2.1).
    private static func text(of heads: [ResponseHead]) -> Data {
        let text = HeadText(paint: Paint(isOn: false), hidesSecrets: false, isTerminal: false)
        return Data(heads.flatMap { text.response($0) + [""] }.map { $0 + "\r\n" }.joined().utf8)
    }

    private func write(_ heads: [ResponseHead], toPath path: String) throws(CommandFailure) {
        if path == "-", style.isTerminal || style.formats || style.colors {
            let writer = HeadWriter(stream: .output, style: style)
            for head in heads { writer.write(head) }
            return
        }
        let bytes = Self.text(of: heads)
        guard path != "-" else { return StandardStream.output.write(bytes) }
        do throws(SystemFailure) {
            try OutputFile(path: path).write(bytes)
        } catch {
            throw CommandFailure(outputFailure: error)
        }
    }

    /// The name of a file that the header gives; nil where it gives none.
    private static func suggestedName(in response: TransportResponse) -> String? {
        guard response.head[.contentDisposition]?.lowercased().contains("filename") == true else { return nil }
        return response.head.suggestedFileName(for: response.request.url)
    }
}

/// A body with the heads of its response in front of it.
private struct WholeMessage: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        var heads: Data?
        var pieces: ResponseBody.AsyncIterator

        mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(NetworkingError) -> Data? {
            if let heads {
                self.heads = nil
                return heads
            }
            return try await pieces.next(isolation: actor)
        }
    }

    let heads: Data
    let body: ResponseBody

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(heads: heads.isEmpty ? nil : heads, pieces: body.makeAsyncIterator())
    }
}
