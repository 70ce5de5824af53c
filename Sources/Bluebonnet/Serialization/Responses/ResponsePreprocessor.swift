public import FoundationEssentials

/// A change of the bytes of a body before they are parsed. Validation and errors have the bytes as
/// they were received.
///
/// Counterpart of Alamofire's `DataPreprocessor`; AFNetworking had none.
public struct ResponsePreprocessor: Sendable {
    private let change: @Sendable (Data) -> Data

    /// Makes a preprocessor.
    ///
    /// - Parameter change: Makes the body to parse from the received body.
    public init(_ change: @escaping @Sendable (Data) -> Data) {
        self.change = change
    }

    /// Changes a body.
    ///
    /// - Parameter body: The received body.
    /// - Returns: The body to parse.
    public func callAsFunction(_ body: Data) -> Data { change(body) }

    /// Removes the line `)]}',` that some services put before their JSON so that it cannot be
    /// included as a script.
    public static let removingXSSIPrefix = removingPrefix(Data(")]}',\n".utf8))

    /// Removes a prefix where the body has it.
    ///
    /// - Parameter prefix: The bytes to remove.
    /// - Returns: The preprocessor.
    public static func removingPrefix(_ prefix: Data) -> ResponsePreprocessor {
        ResponsePreprocessor { $0.starts(with: prefix) ? Data($0.dropFirst(prefix.count)) : $0 }
    }
}
