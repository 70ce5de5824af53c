#if Images
    /// The reason why bytes could not become an image.
    ///
    /// Below a `NetworkingError` with the code `responseSerializationFailed`, where it was a
    /// response. (In AFNetworking such a response was a success without an image.)
    public struct ImageDecodingError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The kind of fault. A struct, so that a new reason does not break a `switch`.
        public struct Reason: Sendable, Hashable, CustomStringConvertible {
            /// The name in kebab-case, such as `too-many-pixels`.
            public let description: String

            /// The bytes are not an image of a format that this library knows.
            public static let unknownFormat = Reason(description: "unknown-format")
            /// The format is not among ``ImageDecoder/formats``.
            public static let formatNotAllowed = Reason(description: "format-not-allowed")
            /// The system has no loader for the format.
            public static let formatUnavailable = Reason(description: "format-unavailable")
            /// More bytes than ``ImageLimits/maximumByteCount``.
            public static let tooManyBytes = Reason(description: "too-many-bytes")
            /// More pixels than ``ImageLimits/maximumPixelCount``, or in all frames more than
            /// ``ImageLimits/maximumTotalPixelCount``.
            public static let tooManyPixels = Reason(description: "too-many-pixels")
            /// More frames than ``ImageLimits/maximumFrameCount``.
            public static let tooManyFrames = Reason(description: "too-many-frames")
            /// The bytes end before the image does.
            public static let truncated = Reason(description: "truncated")
            /// The bytes are not what the format demands, or a part of it that the loader does not
            /// know.
            public static let malformed = Reason(description: "malformed")
            /// The helper process could not be started, or did not do its work: a fault of the
            /// system, or of the configuration. See ``ImageHelperProcess``.
            public static let helperFailed = Reason(description: "helper-failed")
            /// The image made the helper process crash, or reach one of its limits.
            public static let helperStopped = Reason(description: "helper-stopped")
            /// The Swift task that waited for the image was cancelled.
            public static let cancelled = Reason(description: "cancelled")
            /// The pixels could not be encoded.
            public static let encodingFailed = Reason(description: "encoding-failed")

            private static let all = [
                unknownFormat, formatNotAllowed, formatUnavailable, tooManyBytes, tooManyPixels, tooManyFrames,
                truncated, malformed, helperFailed, helperStopped, cancelled, encodingFailed,
            ]

            private init(description: String) { self.description = description }

            /// The reason with a name; nil where there is none.
            init?(known name: String) {
                guard let reason = Self.all.first(where: { $0.description == name }) else { return nil }
                self = reason
            }
        }

        /// The kind of fault.
        public let reason: Reason

        /// One sentence for a person.
        public let message: String

        /// The format of the bytes, where it was recognized.
        public let format: ImageFormat?

        /// Makes an error.
        ///
        /// - Parameters:
        ///   - reason: The kind of fault.
        ///   - message: One sentence for a person.
        ///   - format: The format of the bytes. Default: nil.
        public init(_ reason: Reason, _ message: String, format: ImageFormat? = nil) {
            self.reason = reason
            self.message = message
            self.format = format
        }

        /// The reason and the sentence.
        public var description: String { "\(reason): \(message)" }
    }
#endif
