public import FoundationEssentials
public import HTTPTypes

/// Parts held in memory.
extension MultipartFormData {
    /// Adds a text, as UTF-8.
    ///
    /// Counterpart of `appendPartWithFormData:name:` with the text as data.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - name: The name of the part.
    ///   - fileName: The file name. Default: none.
    ///   - mimeType: The value of the part's `Content-Type`. Default: by the extension of the file
    ///     name; none without a file name.
    public mutating func append(_ text: String, name: String, fileName: String? = nil, mimeType: String? = nil) {
        append(Data(text.utf8), name: name, fileName: fileName, mimeType: mimeType)
    }

    /// Adds bytes.
    ///
    /// Counterpart of `appendPartWithFormData:name:`, and with a file name of
    /// `appendPartWithFileData:name:fileName:mimeType:`.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - name: The name of the part.
    ///   - fileName: The file name. Default: none.
    ///   - mimeType: The value of the part's `Content-Type`. Default: by the extension of the file
    ///     name; none without a file name.
    public mutating func append(_ data: Data, name: String, fileName: String? = nil, mimeType: String? = nil) {
        append { () throws(NetworkingError) in
            try Self.part(name, fileName, mimeType, .bytes(data))
        }
    }

    /// Adds a part whose header section has only the fields of the caller.
    ///
    /// Counterpart of `appendPartWithHeaders:body:`.
    ///
    /// - Parameters:
    ///   - headers: The fields, sent in this order. RFC 7578 §4.2 wants a `Content-Disposition`
    ///     among them.
    ///   - body: The bytes.
    public mutating func append(headers: HTTPFields, body: Data) {
        let head = MultipartPartHead.bytes(headers)
        parts.append(MultipartPart(head: head, content: .bytes(body)))
    }

    /// A part with the header section that browsers write.
    static func part(
        _ name: String,
        _ fileName: String?,
        _ mimeType: String?,
        _ content: MultipartPart.Content
    ) throws(NetworkingError) -> MultipartPart {
        let mimeType = mimeType ?? fileName.map(MIMETypes.system.type(ofFileNamed:))
        return MultipartPart(
            head: try MultipartPartHead.bytes(name: name, fileName: fileName, mimeType: mimeType),
            content: content,
            disposition: MultipartPart.Disposition(name: name, fileName: fileName, mimeType: mimeType)
        )
    }
}
