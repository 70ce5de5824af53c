import HTTPTypes

extension ResponseHead {
    /// The same head with this `Age` in place of its own (RFC 9111 §5.1).
    func withAge(_ seconds: Int) -> ResponseHead {
        replacing(adding: (.age, String(seconds))) { $0 == "age" }
    }

    /// The same head with the time at which it came as its `Date`, where it has none (RFC 9110
    /// §6.6.1).
    func dated(_ seconds: Int) -> ResponseHead {
        guard !contains(.date) else { return self }
        return replacing(adding: (.date, HTTPDate.text(secondsSince1970: seconds))) { _ in false }
    }
}

extension RawHeaderFields {
    /// The fields without those whose names in lower case are unwanted, and with another one behind
    /// them. The bytes are copied once.
    func replacing(
        adding field: (name: HTTPField.Name, value: String)?,
        _ isUnwanted: (String) -> Bool
    ) -> RawHeaderFields {
        var bytes = Array(reasonPhrase)
        let reason = 0..<bytes.count
        var entries: [Entry] = []
        entries.reserveCapacity(count + 1)
        func append(_ name: some Collection<UInt8>, _ value: some Collection<UInt8>) {
            let start = UInt32(bytes.count)
            bytes += name
            let end = UInt32(bytes.count)
            bytes += value
            entries.append(Entry(nameStart: start, nameEnd: end, valueStart: end, valueEnd: UInt32(bytes.count)))
        }
        for position in 0..<count {
            let name = name(at: position)
            if isUnwanted(String(decoding: name.map(ASCII.lowercased), as: UTF8.self)) { continue }
            append(name, value(at: position))
        }
        if let field { append(field.name.rawName.utf8, field.value.utf8) }
        var names = framingNames
        if isUnwanted("connection") { names.remove(.connection) }
        if isUnwanted("keep-alive") { names.remove(.keepAlive) }
        if isUnwanted("transfer-encoding") { names.remove(.transferEncoding) }
        if isUnwanted("content-length") { names.remove(.contentLength) }
        if isUnwanted("content-encoding") { names.remove(.contentEncoding) }
        return unsafe bytes.withUnsafeBytes { section in
            // Safe: the initializer copies the bytes before it returns, and all entries are inside.
            unsafe RawHeaderFields(section: section, entries: entries, framingNames: names, reason: reason)
        }
    }
}
