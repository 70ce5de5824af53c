public import FoundationEssentials

/// Changes the bytes of a body before they are parsed. Validation and the error keep the bytes as
/// they came.
///
/// Alamofire calls it `DataPreprocessor`; AFNetworking had none.
public struct ResponsePreprocessor: Sendable {
    private let change: @Sendable (Data) -> Data

    /// Makes a preprocessor.
    ///
    /// - Parameter change: Makes the body to parse from the body that came.
    public init(_ change: @escaping @Sendable (Data) -> Data) {
        self.change = change
    }

    /// Changes a body.
    ///
    /// - Parameter body: The body that came.
    /// - Returns: The body to parse.
    public func callAsFunction(_ body: Data) -> Data { change(body) }

    /// Takes off the line `)]}',` that some services put before their JSON so that it cannot be
    /// included as a script.
    public static let removingXSSIPrefix = removingPrefix(Data(")]}',\n".utf8))

    /// Takes off a prefix where it is there.
    ///
    /// - Parameter prefix: The bytes to take off.
    /// - Returns: The preprocessor.
    public static func removingPrefix(_ prefix: Data) -> ResponsePreprocessor {
        ResponsePreprocessor { $0.starts(with: prefix) ? Data($0.dropFirst(prefix.count)) : $0 }
    }
}
