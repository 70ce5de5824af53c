import FoundationEssentials

/// Writes `Encodable` values as `application/x-www-form-urlencoded`, for queries and for bodies.
///
/// ```swift
/// struct Search: Encodable { var text: String; var tags: [String]; var onlyNew: Bool }
/// let search = Search(text: "tea & milk", tags: ["a", "b"], onlyNew: true)
/// try URLEncodedFormEncoder().encode(search) //
/// onlyNew=1&tags%5B%5D=a&tags%5B%5D=b&text=tea%20%26%20milk
/// ```
/// - Integers, `String`, `URL`, `UUID` and `Decimal` are written as their text, `Float` and
///   `Double` in the shortest form that reads back the same (`1.0`); infinity and NaN are errors.
/// - A `Set` repeats the bare key, its elements sorted, also with other values of
///   ``arrayEncoding``, as AFNetworking wrote sets.
/// - Arrays keep their order. Empty arrays, sets and objects are not written.
/// - Names and values are percent-escaped as UTF-8, also the brackets and dots of nested names.
///
/// It is the counterpart of Alamofire's `URLEncodedFormEncoder` and has its defaults. Unlike there,
/// a ``keyEncoding`` applies to each key of a path and not to the joined name, and arrays are never
/// reordered. ``ParameterEncoding/standard`` has AFNetworking's rules; the differences are in nulls
/// (``NilEncoding/bareKey``), dates (``DateEncoding/iso8601``) and whole numbers (`1`).
public struct URLEncodedFormEncoder: Sendable {
    /// Whether keys are sorted by their UTF-16 units at every level, as they are written. Default:
    /// true.
    ///
    /// Otherwise they are in the order in which they were encoded, which a `Dictionary` changes
    /// from run to run.
    public var sortsKeys: Bool

    /// The format of the name of an array's element. Default: ``ArrayEncoding/brackets``.
    public var arrayEncoding: ArrayEncoding

    /// The format of booleans. Default: ``BoolEncoding/numeric``.
    public var boolEncoding: BoolEncoding

    /// The format of `Data`. Default: ``DataEncoding/base64``.
    public var dataEncoding: DataEncoding

    /// The format of `Date`. Default: ``DateEncoding/deferredToDate``.
    public var dateEncoding: DateEncoding

    /// The change of each key before it becomes part of a name. Default:
    /// ``KeyEncoding/useDefaultKeys``.
    public var keyEncoding: KeyEncoding

    /// The way in which the key of a nested object is added to the name of that object. Default:
    /// ``KeyPathEncoding/brackets``.
    public var keyPathEncoding: KeyPathEncoding

    /// The format of nil and null. Default: ``NilEncoding/dropKey``.
    public var nilEncoding: NilEncoding

    /// The format of a space. Default: ``SpaceEncoding/percentEscaped``.
    public var spaceEncoding: SpaceEncoding

    /// The characters that are not escaped in names and values. Default:
    /// ``AllowedCharacters/query``.
    public var allowedCharacters: AllowedCharacters

    /// Whether a whole `Float` or `Double` is written without its fraction, as `NSNumber` does.
    var omitsZeroFraction = false

    /// Whether a nil property is left out, while a null is written as ``nilEncoding`` says.
    var omitsMissing = false

    /// Makes an encoder with the defaults, but for what is named.
    ///
    /// ```swift
    /// let forms = URLEncodedFormEncoder(arrayEncoding: .noBrackets, boolEncoding: .literal)
    /// api.requestSerializer.parameterEncoding = .form(forms)
    /// ```
    ///
    /// - Parameters:
    ///   - sortsKeys: Whether keys are sorted. Default: true.
    ///   - arrayEncoding: The name of an array's element. Default: ``ArrayEncoding/brackets``.
    ///   - boolEncoding: The format of booleans. Default: ``BoolEncoding/numeric``.
    ///   - dataEncoding: The format of `Data`. Default: ``DataEncoding/base64``.
    ///   - dateEncoding: The format of `Date`. Default: ``DateEncoding/deferredToDate``.
    ///   - keyEncoding: The change of each key. Default: ``KeyEncoding/useDefaultKeys``.
    ///   - keyPathEncoding: The names of nested values. Default: ``KeyPathEncoding/brackets``.
    ///   - nilEncoding: The format of nil and null. Default: ``NilEncoding/dropKey``.
    ///   - spaceEncoding: The format of a space. Default: ``SpaceEncoding/percentEscaped``.
    ///   - allowedCharacters: The characters that are not escaped. Default:
    ///     ``AllowedCharacters/query``.
    public init(
        sortsKeys: Bool = true,
        arrayEncoding: ArrayEncoding = .brackets,
        boolEncoding: BoolEncoding = .numeric,
        dataEncoding: DataEncoding = .base64,
        dateEncoding: DateEncoding = .deferredToDate,
        keyEncoding: KeyEncoding = .useDefaultKeys,
        keyPathEncoding: KeyPathEncoding = .brackets,
        nilEncoding: NilEncoding = .dropKey,
        spaceEncoding: SpaceEncoding = .percentEscaped,
        allowedCharacters: AllowedCharacters = .query
    ) {
        self.sortsKeys = sortsKeys
        self.arrayEncoding = arrayEncoding
        self.boolEncoding = boolEncoding
        self.dataEncoding = dataEncoding
        self.dateEncoding = dateEncoding
        self.keyEncoding = keyEncoding
        self.keyPathEncoding = keyPathEncoding
        self.nilEncoding = nilEncoding
        self.spaceEncoding = spaceEncoding
        self.allowedCharacters = allowedCharacters
    }

    /// The defaults, which are Alamofire's.
    public static let standard = URLEncodedFormEncoder()

    /// The escaping of the URL Standard's `application/x-www-form-urlencoded` serializer (§5.2):
    /// alphanumerics and `*-._` stay, a space is `+`. Otherwise as ``standard``.
    public static let whatwg: URLEncodedFormEncoder = {
        var encoder = URLEncodedFormEncoder()
        encoder.allowedCharacters = .whatwg
        encoder.spaceEncoding = .plusReplaced
        return encoder
    }()

    /// AFNetworking's rules, those of ``QueryString``, for values of every type.
    static let afNetworking: URLEncodedFormEncoder = {
        var encoder = URLEncodedFormEncoder()
        encoder.dateEncoding = .iso8601
        encoder.nilEncoding = .bareKey
        encoder.omitsZeroFraction = true
        encoder.omitsMissing = true
        return encoder
    }()

    /// Writes a value.
    ///
    /// - Parameter value: A value that encodes itself with keys: a structure, a class, a
    ///   dictionary. Nil makes an empty text.
    /// - Returns: The pairs joined with `&`; empty when there is nothing to write.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed`` when the value is an array or
    ///   a single value, which have no keys, or when something in it cannot be written; the
    ///   `EncodingError` is below it.
    public func encode(_ value: some Encodable) throws(NetworkingError) -> String {
        text(of: try tree(value) { scope throws in try scope.value(of: value) })
    }

    /// Writes parameters.
    ///
    /// Numbers are written as ``QueryString`` writes them: exact, whole ones without fraction.
    ///
    /// - Parameter parameters: An object; null for none.
    /// - Returns: The pairs joined with `&`; empty when there is nothing to write.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed`` when the parameters are an
    ///   array or a single value, which have no keys, or when a number in them is infinite or NaN;
    ///   the `EncodingError` is below it.
    public func encode(_ parameters: JSONValue) throws(NetworkingError) -> String {
        text(of: try tree(parameters) { scope throws in try scope.value(ofJSON: parameters) })
    }

    /// The names and values of parameters, not escaped, for the parts of a multipart form; null has
    /// no content.
    func pairs(of parameters: Parameters) throws(NetworkingError) -> [(name: String, content: Data)] {
        var writer = FormWriter(self, collectsPairs: true)
        writer.write(try tree(parameters, keepsData: true) { scope throws in try scope.value(of: parameters) })
        return writer.pairs ?? []
    }

    /// The tree of a value; throws for one without names.
    private func tree<Value>(
        _ value: Value,
        keepsData: Bool = false,
        _ encode: (FormScope) throws -> FormValue
    ) throws(NetworkingError) -> FormValue {
        do {
            let root = try encode(FormScope(strategies: FormStrategies(self, keepsData: keepsData), path: nil))
            if let what = root.keylessName {
                let context = EncodingError.Context(codingPath: [], debugDescription: "The top level is \(what).")
                throw EncodingError.invalidValue(value, context)
            }
            return root
        } catch {
            throw Self.failure(error)
        }
    }

    private func text(of root: FormValue) -> String {
        var writer = FormWriter(self)
        writer.write(root)
        return String(decoding: writer.output, as: UTF8.self)
    }

    private static func failure(_ error: any Error) -> NetworkingError {
        var message = "The parameters cannot be written as a form"
        if case EncodingError.invalidValue(_, let context) = error {
            if !context.codingPath.isEmpty {
                message += ", at \(FormPath.description(of: context.codingPath))"
            }
            message += ": \(context.debugDescription)"
            if context.codingPath.isEmpty { message += " A form needs an object, so that every value has a name." }
        } else {
            message += ": \(error)"
        }
        return NetworkingError(.requestSerializationFailed, message, underlying: error)
    }
}
