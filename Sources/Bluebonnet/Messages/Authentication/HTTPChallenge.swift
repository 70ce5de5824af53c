/// A challenge as a server writes it in `WWW-Authenticate`, or a proxy in `Proxy-Authenticate` (RFC
/// 9110 §11.3): a scheme with a token or with parameters.
///
/// No counterpart in AFNetworking or Alamofire, where NSURLSession reads the field.
public struct HTTPChallenge: Sendable, Hashable {
    /// The scheme.
    public let scheme: AuthenticationScheme

    /// The text behind the scheme that is not a list of parameters, as Negotiate has (`token68`);
    /// nil for none.
    public let token: String?

    /// The parameters in the order of the field, names in lower case, quotation marks and escapes
    /// removed.
    public let parameters: [Parameter]

    /// A parameter of a challenge (RFC 9110 §11.2).
    public struct Parameter: Sendable, Hashable {
        /// The name in lower case.
        public let name: String
        /// The value without quotation marks and escapes.
        public let value: String
        /// The bytes of the value, where they are not UTF-8.
        let bytes: [UInt8]?

        /// Makes a parameter.
        ///
        /// - Parameters:
        ///   - name: The name; it is put into lower case.
        ///   - value: The value without quotation marks.
        public init(name: String, value: String) {
            self.name = String(decoding: name.utf8.map(ASCII.lowercased), as: UTF8.self)
            self.value = value
            bytes = nil
        }

        init(name: String, bytes: [UInt8]) {
            self.name = String(decoding: name.utf8.map(ASCII.lowercased), as: UTF8.self)
            let text = String(validating: bytes, as: UTF8.self)
            value = text ?? String(decoding: bytes, as: UTF8.self)
            self.bytes = text == nil ? bytes : nil
        }
    }

    /// Makes a challenge.
    ///
    /// - Parameters:
    ///   - scheme: The scheme.
    ///   - token: The text in place of parameters. Default: none.
    ///   - parameters: The parameters. Default: none.
    public init(scheme: AuthenticationScheme, token: String? = nil, parameters: [Parameter] = []) {
        self.scheme = scheme
        self.token = token
        self.parameters = parameters
    }

    /// The value of a parameter, nil without one.
    ///
    /// - Parameter name: The name in lower case.
    public subscript(name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// The name of the area that the credentials are for (RFC 9110 §11.5); nil where the server
    /// gives none.
    public var realm: String? { self["realm"] }

    /// The bytes of the ``realm``.
    var realmBytes: [UInt8]? {
        parameters.first { $0.name == "realm" }.map { $0.bytes ?? Array($0.value.utf8) }
    }

    /// The challenges of the values of a header field, in their order.
    ///
    /// A challenge that breaks the grammar of RFC 9110 §11 is left out, and so is what follows it
    /// in the same value, where nobody can tell what belongs to what. One that has a parameter
    /// twice is left out alone (§11.2). No more than 32 challenges are read, and of each no more
    /// than 64 parameters.
    ///
    /// - Parameter values: The values of all fields of that name, as
    ///   ``ResponseHead/values(for:)`` returns them.
    /// - Returns: The challenges.
    public static func challenges(in values: [String]) -> [HTTPChallenge] {
        challenges(in: values.map { Array($0.utf8) })
    }

    /// The challenges of a response, with the bytes of what is not UTF-8.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - field: The name of the field in lower case. Default: that of servers.
    /// - Returns: The challenges.
    static func challenges(of head: ResponseHead, in field: String = "www-authenticate") -> [HTTPChallenge] {
        let values = head.latin1Fields.filter {
            $0.name.utf8.map(ASCII.lowercased).elementsEqual(field.utf8)
        }
        return challenges(in: values.map { $0.value.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } })
    }

    private static func challenges(in values: [[UInt8]]) -> [HTTPChallenge] {
        var challenges: [HTTPChallenge] = []
        for value in values {
            var parser = ChallengeParser(value, limit: ChallengeParser.mostChallenges - challenges.count)
            challenges += parser.challenges()
        }
        return challenges
    }
}
