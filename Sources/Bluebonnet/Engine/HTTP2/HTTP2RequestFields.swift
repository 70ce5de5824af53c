import HTTPTypes

/// Writes the head of a request as the field section of a stream (RFC 9113 §8.3.1).
enum HTTP2RequestFields {
    /// The pseudo-header fields, then the fields in their order with lowercase names (§8.2).
    ///
    /// - Parameters:
    ///   - head: The head. Its field values are sent as they are.
    ///   - scheme: `https` or `http`.
    ///   - upgrade: The protocol that the stream is to go on with; nil for none.
    /// - Returns: The section.
    static func encode(_ head: RequestHead, scheme: String, upgrade: ProtocolUpgrade? = nil) -> [HTTP2Field] {
        var section: [HTTP2Field] = []
        section.reserveCapacity(head.fields.count + 6)
        // RFC 8441 §4, in place of the fields that ask for it on HTTP/1.1 (§5).
        section.append(HTTP2Field(":method", upgrade == nil ? head.method.rawValue : "CONNECT"))
        if let upgrade { section.append(HTTP2Field(":protocol", upgrade.token)) }
        // §8.5: CONNECT to a proxy has the method and the authority alone.
        let isConnect = head.method == .connect
        if !isConnect { section.append(HTTP2Field(":scheme", scheme)) }
        // §8.3.1: the value of Host, which is not sent beside it. To a proxy that forwards the
        // request, the URL says where it leads, whatever Host is, as RFC 9112 §3.2.2 has it.
        let isForwarded = head.target != head.path
        if !isForwarded, let position = head.survey.host {
            section.append(HTTP2Field(":authority", of: head.fields[position]))
        } else {
            section.append(HTTP2Field(":authority", head.host))
        }
        if !isConnect {
            section.append(HTTP2Field(":path", head.path, head.path == "/" ? .indexable : .nonIndexable))
        }
        if let authorization = head.proxyAuthorization {
            section.append(
                HTTP2Field("proxy-authorization", String(decoding: authorization, as: UTF8.self), .neverIndexed)
            )
        }
        let nominated = head.survey.hasConnection ? nominated(in: head.fields) : []
        for position in head.fields.indices where position != head.survey.host {
            let field = head.fields[position]
            let name = field.name.canonicalName
            guard isSent(name, field, nominated), upgrade == nil || name != "sec-websocket-key" else { continue }
            section.append(HTTP2Field(name, of: field, indexing(of: name, field.value)))
        }
        if let offer = head.offer { section.append(HTTP2Field("accept-encoding", offer.value)) }
        if case .length(let length) = head.missingFraming {
            section.append(HTTP2Field("content-length", String(length), .nonIndexable))
        }
        return section
    }

    /// A trailer section (§8.1). Its names were checked: none is about the connection.
    static func encode(trailers: HTTPFields) -> [HTTP2Field] {
        trailers.map { HTTP2Field($0.name.canonicalName, of: $0, .nonIndexable) }
    }

    /// The bytes of a trailer section without compression.
    static func byteCount(trailers: HTTPFields) -> Int {
        trailers.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
    }

    /// The bytes of the section, about, without compression.
    static func byteCount(_ head: RequestHead) -> Int {
        head.survey.byteCount + head.method.rawValue.utf8.count + head.target.utf8.count + head.host.utf8.count
    }

    /// RFC 9113 §8.2.2: the fields about the connection have no meaning here, and make a request
    /// malformed; of TE only "trailers" is left.
    private static func isSent(_ name: String, _ field: HTTPField, _ nominated: Set<String>) -> Bool {
        switch name.utf8.count {
        case 2 where name == "te": field.value.lowercased() == "trailers"
        case 7 where name == "upgrade": false
        case 10 where name == "connection" || name == "keep-alive": false
        case 14 where name == "http2-settings": false
        case 16 where name == "proxy-connection": false
        case 17 where name == "transfer-encoding": false
        default: !nominated.contains(name)
        }
    }

    /// The names in Connection (RFC 9110 §7.6.1), which are fields about the connection too.
    private static func nominated(in fields: HTTPFields) -> Set<String> {
        let names = fields[values: .connection].flatMap { $0.split(separator: ",") }
        return Set(names.map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() })
    }

    /// RFC 7541 §7.1.3: secrets that could be guessed bit by bit are never put into the table. And
    /// values that hardly come again would only push others out.
    private static func indexing(of name: String, _ value: String) -> HPACK.Indexing {
        switch name {
        case "authorization", "proxy-authorization": .neverIndexed
        case "cookie" where value.utf8.count < 20: .neverIndexed
        case "content-length", "content-range", "range", "if-none-match", "if-modified-since", "if-range": .nonIndexable
        default: .indexable
        }
    }
}
