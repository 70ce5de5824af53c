import HTTPTypes

/// A setting of one call: `options: [.priority(.background), .redirectPolicy(.manual)]`.
///
/// It wins over the manager's serializer and over the session's configuration. Of two options for
/// the same setting the later one counts; interceptors add up.
///
/// Counterpart of the `requestModifier:` closure and the `interceptor:` of Alamofire's `request`;
/// in AFNetworking the request had to be made by hand.
public struct RequestOption: Sendable {
    enum Kind: Sendable {
        case request(@Sendable (inout Request) -> Void)
        case validation(ResponseValidation)
    }

    let kind: Kind

    private static func request(_ change: @escaping @Sendable (inout Request) -> Void) -> RequestOption {
        RequestOption(kind: .request(change))
    }

    /// The timeouts, in place of the session's.
    ///
    /// - Parameter timeouts: The timeouts; the `timeout:` of the call wins over
    ///   ``Timeouts/request``.
    /// - Returns: The option.
    public static func timeouts(_ timeouts: Timeouts) -> RequestOption {
        request { $0.timeouts = timeouts }
    }

    /// The treatment of redirects, in place of ``SessionConfiguration/redirectPolicy``.
    ///
    /// - Parameter policy: The policy.
    /// - Returns: The option.
    public static func redirectPolicy(_ policy: RedirectPolicy) -> RequestOption {
        request { $0.redirectPolicy = policy }
    }

    /// The credential for the server, when it asks for one; see ``Request/credential``.
    ///
    /// - Parameter credential: The credential.
    /// - Returns: The option.
    public static func credential(_ credential: Credential) -> RequestOption {
        request { $0.credential = credential }
    }

    /// An interceptor of this call alone, inside those of the session; see
    /// ``Request/interceptors``.
    ///
    /// - Parameter interceptor: The interceptor.
    /// - Returns: The option.
    public static func interceptor(_ interceptor: any Interceptor) -> RequestOption {
        request { $0.interceptors.append(interceptor) }
    }

    /// Whether the request is sent again after a failure, in place of
    /// ``SessionConfiguration/retryPolicy``; see ``Request/retryPolicy``.
    ///
    /// - Parameter policy: The policy; ``RetryPolicy/never`` has it sent once.
    /// - Returns: The option.
    public static func retryPolicy(_ policy: RetryPolicy) -> RequestOption {
        request { $0.retryPolicy = policy }
    }

    /// Somebody who decides whether the request is sent again, before the session's; see
    /// ``Request/retriers``.
    ///
    /// - Parameter retrier: The retrier.
    /// - Returns: The option.
    public static func retrier(_ retrier: any Retrier) -> RequestOption {
        request { $0.retriers.append(retrier) }
    }

    /// A field `Idempotency-Key` with a new key, so that a server that knows the field processes a
    /// POST or PATCH once, and a ``RetryPolicy`` may have it sent again. One that the request has
    /// already is kept, and other methods get none.
    public static let idempotencyKey = request { $0.addIdempotencyKey() }

    /// The urgency of the response: sent as `Priority` (RFC 9218 §5), unless the request has that
    /// field, and the first priority of its task, ``SessionTask/priority``.
    ///
    /// - Parameter priority: The priority.
    /// - Returns: The option.
    public static func priority(_ priority: RequestPriority) -> RequestOption {
        request { $0.setPriority(priority) }
    }

    /// The use of a stored response; see ``RequestProperties/cachePolicy``.
    ///
    /// - Parameter policy: The policy.
    /// - Returns: The option.
    public static func cachePolicy(_ policy: CachePolicy) -> RequestOption {
        request { $0.properties.cachePolicy = policy }
    }

    /// The most requests that a download makes at once, each for another part of the file; see
    /// ``RequestProperties/downloadSegments``.
    ///
    /// - Parameter count: The number of requests.
    /// - Returns: The option.
    public static func downloadSegments(_ count: Int) -> RequestOption {
        request { $0.properties.downloadSegments = count }
    }

    /// Whether the body is offered as a resumable upload, in place of
    /// ``SessionConfiguration/resumableUploads``; see ``RequestProperties/resumableUploads``.
    ///
    /// - Parameter setting: The setting.
    /// - Returns: The option.
    public static func resumableUploads(_ setting: ResumableUploads) -> RequestOption {
        request { $0.properties.resumableUploads = setting }
    }

    /// Whether the request waits for the ``SessionConfiguration/rateLimits``; see
    /// ``RequestProperties/obeysRateLimits``.
    ///
    /// - Parameter obeys: Whether it waits.
    /// - Returns: The option.
    public static func obeysRateLimits(_ obeys: Bool) -> RequestOption {
        request { $0.properties.obeysRateLimits = obeys }
    }

    /// Whether the body waits for `100 Continue`; see ``Request/expectsContinue``.
    ///
    /// - Parameter expects: Whether it waits.
    /// - Returns: The option.
    public static func expectsContinue(_ expects: Bool) -> RequestOption {
        request { $0.expectsContinue = expects }
    }

    /// A text of yours for the task; see ``Request/taskDescription``.
    ///
    /// - Parameter description: The text.
    /// - Returns: The option.
    public static func taskDescription(_ description: String) -> RequestOption {
        request { $0.taskDescription = description }
    }

    /// The responses that are accepted, in place of ``HTTPSessionManager/validation`` and, where
    /// the call names no serializer, also in place of the rules of
    /// ``HTTPSessionManager/responseSerializer``. A serializer that the call names keeps its own.
    ///
    /// - Parameter validation: The rules.
    /// - Returns: The option.
    public static func validation(_ validation: ResponseValidation) -> RequestOption {
        RequestOption(kind: .validation(validation))
    }
}

extension Request {
    /// Changes the priority, and the field that says it (RFC 9218 §5).
    mutating func setPriority(_ priority: RequestPriority) {
        // The field of an earlier priority is replaced; one that the call wrote stays.
        let field = headerFields[.priority]
        let isOwn = field == nil || field == properties.priority?.description
        properties.priority = priority
        guard isOwn else { return }
        let value = priority.description
        headerFields[.priority] = value.isEmpty ? nil : value
    }
}

extension [RequestOption] {
    /// Sets on a request what is set on requests.
    func apply(to request: inout Request) {
        for option in self {
            if case .request(let change) = option.kind { change(&request) }
        }
    }

    /// The rules that replace those of the manager; nil for none.
    var validation: ResponseValidation? {
        for case .validation(let validation) in reversed().map(\.kind) { return validation }
        return nil
    }
}
