#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Bytes as a string of a JSON text.
enum DataText {
    /// The bytes as text when they are UTF-8, else as a base64 data URL (RFC 2397).
    static func echo(_ bytes: [UInt8], contentType: String? = nil) -> String {
        if let text = String(validating: bytes, as: UTF8.self) {
            return text
        }
        return "data:\(contentType ?? "application/octet-stream");base64,\(Data(bytes).base64EncodedString())"
    }
}
