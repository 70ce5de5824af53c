public import FoundationEssentials
import NIOCore

/// Writes parameters as a property list, or for some methods into the query of the URL.
///
/// GET, HEAD and DELETE get a query, as from ``HTTPRequestSerializer``; other methods get a body of
/// type `application/x-plist`. Without parameters there is neither a body nor a `Content-Type`. A
/// property list has no null: a null is an error that names its place.
///
/// Numbers of a ``JSONValue`` are written as `integer` when they are integers of 64 bits, else as
/// `real`, fractions rounded to the nearest double. In an `Encodable` value, Foundation's
/// `PropertyListEncoder` writes `Decimal` and `URL` as dictionaries of their parts, which few
/// servers read: give it a `Double` or a `String` instead.
///
/// Counterpart of `AFPropertyListRequestSerializer`.
public struct PropertyListRequestSerializer: RequestSerializer {
    /// The header fields and properties of every request, and the rules of queries.
    public var settings = RequestSerializerSettings()

    /// The format of the property list. Default: XML.
    public var format: PropertyListDecoder.PropertyListFormat

    /// Makes a serializer with the default settings.
    ///
    /// - Parameter format: XML or binary. Default: XML.
    public init(format: PropertyListDecoder.PropertyListFormat = .xml) {
        self.format = format
    }

    /// Adds the default header fields, and the parameters as property list or query.
    ///
    /// - Parameters:
    ///   - request: Method, URL and the fields that are already decided.
    ///   - parameters: The parameters; nothing is added for empty ones.
    ///   - destination: The place of the parameters.
    /// - Returns: The request to send.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed`` for parameters that hold null,
    ///   an integer that neither 64 bits nor a double hold or a number beyond the range of doubles,
    ///   or that are a single value: a property list holds an array or a dictionary at its top.
    public func serialize(
        _ request: consuming Request,
        parameters: Parameters,
        to destination: ParameterDestination
    ) throws(NetworkingError) -> Request {
        try settings.serialize(request, parameters, to: destination) { request throws(NetworkingError) in
            request.setBody(ByteBuffer(bytes: try body(of: parameters)), contentType: "application/x-plist")
        }
    }

    private func body(of parameters: Parameters) throws(NetworkingError) -> Data {
        guard case .json(let value) = parameters.content else {
            // The encoder writes the text “$null” for a null of a type; the JSON of the type shows
            // its place.
            if let json = try? JSONValue(encoding: parameters, with: JSONEncoder()),
                let fault = Self.fault(in: json, .nullsOnly)
            {
                throw Self.invalid(fault)
            }
            return try encoded(parameters)
        }
        switch value {
        case .object, .array: break
        case .null, .bool, .number, .string:
            throw Self.invalid("it holds an array or a dictionary at its top, not a single value")
        }
        if let fault = Self.fault(in: value) { throw Self.invalid(fault) }
        return try encoded(PropertyListParameter(value: value))
    }

    private func encoded(_ value: some Encodable) throws(NetworkingError) -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        do {
            return try encoder.encode(value)
        } catch {
            throw Self.invalid("\(error)", error)
        }
    }

    private enum Search {
        case nullsOnly, all
    }

    /// The first value that a property list cannot have and its place, as words for the message.
    private static func fault(in value: JSONValue, _ search: Search = .all) -> String? {
        var path: [String] = []
        guard let fault = fault(in: value, search, &path) else { return nil }
        return "it has no \(fault), as there is at \(path.isEmpty ? "the top" : CodingPath.text(of: path.reversed()))"
    }

    /// Finds the first such value; `path` gets its path, the last part first.
    private static func fault(in value: JSONValue, _ search: Search, _ path: inout [String]) -> String? {
        switch value {
        case .null: return "null"
        case .bool, .string: return nil
        case .number(let number):
            guard search == .all, PropertyListParameter.Number(number) == nil else { return nil }
            return "number like \(number.description.shortened)"
        case .array(let array):
            for (index, element) in array.enumerated() {
                if let found = fault(in: element, search, &path) {
                    path.append("[\(index)]")
                    return found
                }
            }
        case .object(let object):
            for (key, element) in object {
                if let found = fault(in: element, search, &path) {
                    path.append(key)
                    return found
                }
            }
        }
        return nil
    }

    private static func invalid(_ reason: String, _ underlying: (any Error)? = nil) -> NetworkingError {
        NetworkingError(
            .requestSerializationFailed,
            "The parameters cannot be written as a property list: \(reason).",
            underlying: underlying
        )
    }
}

/// A JSON value for a property list. Its long numbers become integers or doubles: as a `Decimal`,
/// which `JSONValue` encodes, one would become a dictionary.
private struct PropertyListParameter: Encodable {
    enum Number {
        case integer(Int64)
        case unsigned(UInt64)
        case real(Double)

        /// Nil for integers that would lose digits, and for numbers beyond the range of doubles.
        init?(_ number: JSONNumber) {
            switch number.storage {
            case .int(let value): self = .integer(value)
            case .uint(let value): self = .unsigned(value)
            case .double(let value): self = .real(value)
            case .text(let text):
                if let value = number.int64 {
                    self = .integer(value)
                } else if let value = number.uint64 {
                    self = .unsigned(value)
                } else if let value = number.double,
                    JSONDecimalDigits(text.string).exponent < 0 || JSONNumber(value) == number
                {
                    self = .real(value)
                } else {
                    return nil
                }
            }
        }
    }

    let value: JSONValue

    func encode(to encoder: any Encoder) throws {
        switch value {
        case .object(let object):
            var container = encoder.container(keyedBy: CodingPathKey.self)
            for (key, value) in object {
                try container.encode(PropertyListParameter(value: value), forKey: CodingPathKey(stringValue: key))
            }
        case .array(let array):
            var container = encoder.unkeyedContainer()
            for value in array { try container.encode(PropertyListParameter(value: value)) }
        case .number(let number):
            var container = encoder.singleValueContainer()
            switch Number(number) {
            case .integer(let value): try container.encode(value)
            case .unsigned(let value): try container.encode(value)
            case .real(let value): try container.encode(value)
            case nil: try number.encode(to: encoder)
            }
        case .null, .bool, .string: try value.encode(to: encoder)
        }
    }
}
