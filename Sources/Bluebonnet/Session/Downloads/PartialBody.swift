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
}
