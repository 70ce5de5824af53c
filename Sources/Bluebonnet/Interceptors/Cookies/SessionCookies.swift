import FoundationEssentials
import HTTPTypes

/// The cookies of a session: what each hop is sent with, and what its response sets.
///
/// A class, so that the steps of a session without a jar have room for one pointer only.
final class SessionCookies: Sendable {
    private let jar: CookieJar
    private let policy: CookiePolicy

    /// Nil for a session without a jar.
    init?(_ configuration: SessionConfiguration) {
        guard let jar = configuration.cookieJar else { return nil }
        self.jar = jar
        policy = configuration.cookiePolicy
    }

    /// The request with the cookies that the jar has for it now, in one field (RFC 6265bis §5.8.1).
    ///
    /// It is made of the request without them, each time that one is sent: after a wait, a hop or a
    /// challenge the jar may have others. A `Cookie` field of the user's is kept: its cookies come
    /// first, and the jar's of the same names are left out.
    @inline(never)
    func attached(to request: Request) -> Request {
        guard request.handlesCookies != false, let source = Self.source(of: request) else { return request }
        var cookies = jar.cookies(for: source)
        guard !cookies.isEmpty else { return request }
        var request = request
        let own = request.headerFields[fields: .cookie]
        if !own.isEmpty {
            let names = Self.names(in: own.map(\.value))
            cookies.removeAll { names.contains($0.name) }
            guard !cookies.isEmpty else { return request }
        }
        // Bytes: those of the user's need not be UTF-8.
        var value: [UInt8] = []
        for field in own {
            let pairs = field.latin1Value.trimmingPairs()
            if !pairs.isEmpty { value += pairs.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } + "; ".utf8 }
        }
        value += cookies.map(\.pair).joined(separator: "; ").utf8
        // Not by the subscript of one value, which makes a field of each cookie.
        if !own.isEmpty { request.headerFields[fields: .cookie] = [] }
        request.headerFields.append(HTTPField(name: .cookie, lenientValue: value))
        return request
    }

    /// Takes in the `Set-Cookie` fields of a response, each by itself (RFC 9110 §5.3).
    @inline(never)
    func receive(_ response: TransportResponse, to request: Request, _ context: ExchangeContext) {
        guard response.contains(.setCookie), request.handlesCookies != false,
            let source = Self.source(of: request),
            policy.accepts(source, ofTaskWith: context.call.originalRequest.url)
        else { return }
        jar.receive(response.head.values(for: .setCookie), from: source)
    }

    private static func source(of request: Request) -> CookieSource? {
        guard let target = try? request.target else { return nil }
        return CookieSource(target)
    }

    /// The names of the cookies in fields.
    private static func names(in fields: [String]) -> Set<String> {
        let pairs = fields.flatMap { $0.split(separator: ";") }
        return Set(
            pairs.map { pair in
                guard let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else { return "" }
                return String(pair[..<equals]).trimmingPairs()
            }
        )
    }
}

extension String {
    /// Without blanks, and without the semicolons at its end.
    fileprivate func trimmingPairs() -> String {
        var bytes = utf8.drop(while: ASCII.isBlank)
        while let last = bytes.last, ASCII.isBlank(last) || last == UInt8(ascii: ";") { bytes.removeLast() }
        return String(Substring(bytes))
    }
}
