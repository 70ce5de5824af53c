public import Bluebonnet
public import Foundation

extension NetworkingError {
    /// The keys of `userInfo` of `error as NSError` that are AFNetworking's own. The others are
    /// Foundation's: `NSURLErrorFailingURLErrorKey`, `NSUnderlyingErrorKey`,
    /// `NSLocalizedDescriptionKey`, `NSLocalizedFailureReasonErrorKey` and
    /// `NSDebugDescriptionErrorKey`.
    ///
    /// Counterpart of AFNetworking's constants, which each key names.
    public enum UserInfoKey {
        /// `AFNetworkingOperationFailingURLRequestErrorKey`: the `Request`, in errors of the domain
        /// `Domain.requestSerialization`.
        public static let request = "com.alamofire.serialization.request.error.response"
        /// `AFNetworkingOperationFailingURLResponseErrorKey`: the `ResponseHead`, when one had
        /// arrived. AFNetworking had an `NSHTTPURLResponse`, for which a program would have to load
        /// FoundationNetworking.
        public static let response = "com.alamofire.serialization.response.error.response"
        /// `AFNetworkingOperationFailingURLResponseDataErrorKey`: the `Data` of the body, when
        /// there is any.
        public static let body = "com.alamofire.serialization.response.error.data"
        /// `NSURLErrorFailingURLStringErrorKey`, which Foundation on Linux calls deprecated: the
        /// URL as a `String`, in errors of the domain `Domain.url`.
        public static let failingURLString = "NSErrorFailingURLStringKey"
        /// `NSURLSessionDownloadTaskResumeData`: what continues a download, as `Data`: the JSON of
        /// ``Bluebonnet/ResumeData``, which `JSONDecoder` reads.
        public static let resumeData = "NSURLSessionDownloadTaskResumeData"
    }

    /// The values of the keys. All of them are shown without secrets, but for the failing URL and
    /// the resume data: as in AFNetworking, they have the whole URL of the request.
    fileprivate var userInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        info[NSLocalizedFailureReasonErrorKey] = failureReason
        info[NSUnderlyingErrorKey] = underlying.map(BridgedNetworkingError.bridge)
        info[NSURLErrorFailingURLErrorKey] = request?.url
        info[UserInfoKey.response] = response
        info[UserInfoKey.body] = body
        info[UserInfoKey.resumeData] = resumeData.flatMap { try? JSONEncoder().encode($0) }
        switch domain {
        case Domain.url: info[UserInfoKey.failingURLString] = request?.url.absoluteString
        case Domain.requestSerialization: info[UserInfoKey.request] = request
        case Domain.cocoa: info[NSDebugDescriptionErrorKey] = message
        default: break
        }
        return info
    }
}

// Not `CustomNSError`: its domain belongs to the type, and this type has several. Where the type of
// an error is known at run time only, `as? NSError` and `catch let error as NSError` find this
// conformance; `as NSError` does not, and makes an `NSError` of `_domain`, `_code` and
// `LocalizedError`.
extension NetworkingError: _ObjectiveCBridgeable {
    /// The error as AFNetworking's `NSError`, for `error as NSError`.
    ///
    /// - Returns: The `NSError`; cast to `NetworkingError`, it is this error again.
    public func _bridgeToObjectiveC() -> NSError {
        BridgedNetworkingError(self)
    }

    /// The error that was made an `NSError`, for casts with `as!`.
    ///
    /// - Parameters:
    ///   - source: The `NSError`.
    ///   - result: The error; nil for an `NSError` that was none.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout NetworkingError?) {
        result = (source as? BridgedNetworkingError)?.error
    }

    /// The error that was made an `NSError`, for casts with `as?`.
    ///
    /// - Parameters:
    ///   - source: The `NSError`.
    ///   - result: The error; nil for an `NSError` that was none.
    /// - Returns: Whether it was one.
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSError,
        result: inout NetworkingError?
    ) -> Bool {
        _forceBridgeFromObjectiveC(source, result: &result)
        return result != nil
    }

    /// The error that was made an `NSError`, for functions that Swift imports from Objective-C.
    ///
    /// - Parameter source: The `NSError`.
    /// - Returns: The error; for an `NSError` that was none, one with the code `interceptorFailed`
    ///   and the `NSError` below it.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> NetworkingError {
        (source as? BridgedNetworkingError)?.error
            ?? NetworkingError(
                .interceptorFailed,
                source?.localizedDescription ?? "The request failed.",
                underlying: source
            )
    }
}

/// The `NSError` of a `NetworkingError`, which it keeps for the way back.
// Unchecked Sendable because `NSError` is: what this class adds is a constant of a Sendable type.
private final class BridgedNetworkingError: NSError, @unchecked Sendable {
    let error: NetworkingError

    init(_ error: NetworkingError) {
        self.error = error
        super.init(domain: error.domain, code: error.number, userInfo: error.userInfo)
    }

    /// Archives have a plain `NSError`, see `encode(with:)`.
    required init?(coder: NSCoder) { nil }

    /// Foundation's would show the values of `userInfo`, the whole URL among them.
    override var description: String { "Error Domain=\(domain) Code=\(code) \"\(error.description)\"" }

    /// Foundation's would not find equal the values that are not objects.
    override func isEqual(_ object: Any?) -> Bool {
        guard let other = (object as? BridgedNetworkingError)?.error else { return super.isEqual(object) }
        return domain == other.domain && code == other.number && error.message == other.message
            && error.request?.url == other.request?.url && error.response == other.response
            && error.body == other.body
    }

    /// Foundation's ends the process on Linux.
    override var hash: Int {
        var hasher = Hasher()
        hasher.combine(domain)
        hasher.combine(code)
        return hasher.finalize()
    }

    override var classForCoder: AnyClass { NSError.self }

    /// Writes a plain `NSError` without the values that cannot be archived: the request, the
    /// response and the underlying error.
    override func encode(with coder: NSCoder) {
        let values = userInfo.filter { $0.value is String || $0.value is Data || $0.value is URL }
        NSError(domain: domain, code: code, userInfo: values).encode(with: coder)
    }

    /// An error of any type as an `NSError`: that of a system call by its number, as Foundation has
    /// it.
    static func bridge(_ error: any Error) -> NSError {
        if let error = error as Any as? NSError { return error }
        let description = [NSLocalizedDescriptionKey: (error as? any LocalizedError)?.errorDescription ?? "\(error)"]
        if let number = error.systemErrorNumber {
            return NSError(domain: NSPOSIXErrorDomain, code: Int(number), userInfo: description)
        }
        let describesItself = error is any CustomNSError || error is any LocalizedError
        // On Linux, Foundation takes an instance of any class for an `NSError`, and crashes.
        if describesItself, !(type(of: error) is AnyClass) { return error as NSError }
        return NSError(domain: error._domain, code: error._code, userInfo: description)
    }
}
