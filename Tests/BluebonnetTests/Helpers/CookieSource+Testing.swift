import Foundation
import Testing

@testable import Bluebonnet

extension CookieSource {
    /// The source of cookies that a URL is.
    static func of(_ text: String) throws -> CookieSource {
        let url = try #require(URL(string: text))
        return try #require(CookieSource(url))
    }
}
