extension NetworkingError {
    /// The domains in which AFNetworking reported faults as an `NSError`.
    ///
    /// Counterpart of `AFURLRequestSerializationErrorDomain` and
    /// `AFURLResponseSerializationErrorDomain`; the others are Foundation's.
    public enum Domain {
        /// `NSURLErrorDomain`: the faults that NSURLSession reported.
        public static let url = "NSURLErrorDomain"
        /// `AFURLRequestSerializationErrorDomain`: parameters and files that cannot be sent.
        public static let requestSerialization = "com.alamofire.error.serialization.request"
        /// `AFURLResponseSerializationErrorDomain`: responses that are refused or cannot be read.
        public static let responseSerialization = "com.alamofire.error.serialization.response"
        /// `NSCocoaErrorDomain`: bodies that are not JSON or not a property list.
        public static let cocoa = "NSCocoaErrorDomain"
    }

    /// The `NSError` domain that AFNetworking reported this fault in, one of ``Domain``.
    public var domain: String {
        switch detail {
        case .parser: Domain.cocoa
        case .unusableFile: Domain.requestSerialization
        case nil: code.domain
        }
    }

    /// The number that AFNetworking reported in ``domain``, for example -1011, -1016, -1202 or
    /// -999.
    ///
    /// It is that of the ``code``, with two exceptions. A body that is not JSON or not a property
    /// list is 3840 in ``Domain/cocoa``, and a file URL that cannot be sent is -1000 in
    /// ``Domain/requestSerialization``.
    public var number: Int {
        switch detail {
        case .parser: 3840
        case .unusableFile: -1000
        case nil: code.number
        }
    }

    // The two requirements of `Error` from which Foundation makes an `NSError`.

    /// The ``domain``, for Foundation: that of `error as NSError`.
    public var _domain: String { domain }

    /// The ``number``, for Foundation: the code of `error as NSError`.
    public var _code: Int { number }
}

extension NetworkingError.Code {
    /// The domain of the number.
    fileprivate var domain: String {
        switch self {
        case .requestSerializationFailed: NetworkingError.Domain.requestSerialization
        case _ where family == .validation: NetworkingError.Domain.responseSerialization
        default: NetworkingError.Domain.url
        }
    }
}

extension NetworkingError {
    /// A detail of a fault for which AFNetworking had another domain and number than the code has.
    enum Detail: Sendable {
        /// A parser of Foundation would have refused the body.
        case parser
        /// The URL of a file cannot be sent; with AFNetworking's words for it, if it had some.
        case unusableFile(reason: String?)

        init?(_ code: Code, _ underlying: (any Error)?) {
            guard code == .responseSerializationFailed else { return nil }
            switch underlying {
            case is any DocumentParsingError:
                self = .parser
            case DecodingError.dataCorrupted(let context)?
            where context.codingPath.isEmpty && context.underlyingError != nil:
                // A decoder says so that the whole document is broken, not a value in it.
                self = .parser
            default:
                return nil
            }
        }
    }
}

/// The error of a parser in whose place AFNetworking used one of Foundation, with the code 3840 in
/// `NSCocoaErrorDomain`.
protocol DocumentParsingError: Error {}
