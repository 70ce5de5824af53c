package import FoundationEssentials
import HTTPTypes

/// The beginning of a response body in memory, which a later request can continue, for another
/// product of the package.
///
/// RFC 9110 §13.1.5 and §14.2; ``DownloadStep`` has the rules, which are those of downloads to
/// files.
package struct PartialBody: Sendable {
    /// What is done with the response to a request that continues.
    package enum Step: Sendable, Equatable {
        /// Its body is the whole.
        case whole
        /// Its body is the rest.
        case append
        /// Nothing is missing.
        case complete
        /// The whole is to be asked for.
        case restart
    }

    /// The bytes.
    package let bytes: Data

    private let beginning: DownloadStep.Beginning
    /// What a response with a part may leave out.
    private let fields: RepresentationFields

    /// Makes the beginning that a transfer which failed has left.
    ///
    /// Nil where it cannot be continued: the response has no strong validator, no known length, or
    /// a content coding, nothing of it has come, or all of it, or the request has a range of its
    /// own.
    ///
    /// - Parameters:
    ///   - bytes: What has come of the body.
    ///   - head: The head of the response.
    ///   - request: The request as the user made it.
    ///   - earlier: What the request continued. Default: nothing.
    package init?(_ bytes: Data, of head: ResponseHead, to request: Request, continuing earlier: PartialBody? = nil) {
        guard request.method == .get, !request.headerFields.contains(.range), !head.hasContentEncoding else {
            return nil
        }
        let step = DownloadStep(head, to: request, continuing: earlier?.beginning)
        guard case .write(let start, let length?) = step, head.statusCode == (start > 0 ? 206 : 200),
            let validator = ResumeData.Validator(head) ?? (start > 0 ? earlier?.beginning.validator : nil)
        else { return nil }
        let all = start > 0 ? (earlier?.bytes ?? Data()) + bytes : bytes
        guard !bytes.isEmpty, all.count < length else { return nil }
        self.bytes = all
        beginning = DownloadStep.Beginning(count: all.count, length: length, validator: validator)
        fields = start > 0 ? earlier?.fields ?? RepresentationFields(head) : RepresentationFields(head)
    }

    /// The beginning that can be continued after a transfer has failed; nil where there is none.
    ///
    /// - Parameters:
    ///   - error: The error, with the response and what has come of its body.
    ///   - request: The request as the user made it.
    ///   - earlier: What the request continued. An error that brought nothing of the image leaves
    ///     it: without a response, or with that of a server which is busy.
    /// - Returns: The beginning.
    package static func left(
        by error: NetworkingError,
        of request: Request,
        continuing earlier: PartialBody?
    ) -> PartialBody? {
        guard let head = error.response, [200, 206].contains(head.statusCode), let body = error.body, !body.isEmpty
        else { return earlier }
        return PartialBody(body, of: head, to: request, continuing: earlier)
    }

    /// The request for the rest.
    ///
    /// - Parameter request: The request as the user made it.
    /// - Returns: The request with `Range` and `If-Range`.
    package func continuing(_ request: Request) -> Request {
        request.asking(from: beginning.count, to: nil, of: beginning.validator)
    }

    /// Decides what is done with the response to a request that continues.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - request: The request as the user made it.
    /// - Returns: The step.
    package func step(for head: ResponseHead, to request: Request) -> Step {
        switch DownloadStep(head, to: request, continuing: beginning) {
        case .write(from: 0, length: _): .whole
        case .write: .append
        case .complete: .complete
        case .restart, .refuse: .restart
        }
    }

    /// The head of a response with the rest, with the fields that it may leave out (RFC 9110
    /// §15.3.7).
    package func completing(_ head: ResponseHead) -> ResponseHead { fields.completing(head) }

    /// The progress of the whole body.
    ///
    /// - Parameter rest: The progress of a response to a request that continues.
    /// - Returns: The progress from these bytes on; `rest` where the server sends the whole.
    package func progress(_ rest: TransferProgress) -> TransferProgress {
        let hasBegun = rest.completed > 0 || rest.total != nil
        guard let length = beginning.length, !hasBegun || rest.total == length - beginning.count else { return rest }
        var progress = rest
        progress.completed += beginning.count
        progress.total = length
        return progress
    }
}
