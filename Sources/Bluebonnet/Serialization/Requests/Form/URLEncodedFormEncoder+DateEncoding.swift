#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension URLEncodedFormEncoder {
    /// How `Date` is written.
    public enum DateEncoding: Sendable {
        /// As `Date` encodes itself: seconds since the start of 2001, UTC, as a `Double`.
        case deferredToDate
        /// Seconds since the start of 1970, UTC, as a `Double`: `1700000000.0`.
        case secondsSince1970
        /// Milliseconds since the start of 1970, UTC, as a `Double`: `1700000000000.0`.
        case millisecondsSince1970
        /// An RFC 3339 timestamp in UTC, whole seconds: `2026-01-31T12:34:56Z`.
        case iso8601
        /// As the closure formats it.
        case formatted(@Sendable (Date) -> String)
        /// As the closure writes it, which may refuse.
        case custom(@Sendable (Date) throws -> String)

        /// Nil when the date is to encode itself.
        func text(of date: Date) throws -> String? {
            switch self {
            case .deferredToDate: nil
            case .secondsSince1970: date.timeIntervalSince1970.description
            case .millisecondsSince1970: (date.timeIntervalSince1970 * 1000).description
            case .iso8601: date.formatted(.iso8601)
            case .formatted(let format): format(date)
            case .custom(let write): try write(date)
            }
        }
    }
}
