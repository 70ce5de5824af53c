#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension URLEncodedFormEncoder {
    /// How `Data` is written.
    public enum DataEncoding: Sendable {
        /// As `Data` encodes itself: an array of bytes as numbers.
        case deferredToData
        /// As Base64 (RFC 4648 §4), with padding.
        case base64
        /// As the closure writes it.
        case custom(@Sendable (Data) throws -> String)

        /// Nil when the data is to encode itself.
        func text(of data: Data) throws -> String? {
            switch self {
            case .deferredToData: nil
            case .base64: data.base64EncodedString()
            case .custom(let write): try write(data)
            }
        }
    }
}
