#if Images
    /// Pixels of red, green, blue and alpha, one byte each.
    ///
    /// Alpha is not multiplied into the colors. Rows follow one another from the top, without
    /// padding. Copies share their storage until one of them is changed.
    ///
    /// AFNetworking had the `CGImage` of a `UIImage` for it.
    public struct Bitmap: Sendable, Hashable {
        /// One pixel.
        public struct Pixel: Sendable, Hashable {
            /// Red, from 0 to 255.
            public var red: UInt8
            /// Green, from 0 to 255.
            public var green: UInt8
            /// Blue, from 0 to 255.
            public var blue: UInt8
            /// Opacity: 255 is opaque, 0 is transparent.
            public var alpha: UInt8

            /// Makes a pixel.
            ///
            /// - Parameters:
            ///   - red: Red, from 0 to 255.
            ///   - green: Green, from 0 to 255.
            ///   - blue: Blue, from 0 to 255.
            ///   - alpha: The opacity. Default: 255, opaque.
            public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
                self.red = red
                self.green = green
                self.blue = blue
                self.alpha = alpha
            }
        }

        /// The number of pixels of a row, at least 1.
        public let width: Int

        /// The number of rows, at least 1.
        public let height: Int

        /// Four bytes for each pixel: red, green, blue, alpha.
        public private(set) var bytes: [UInt8]

        /// Makes a bitmap of bytes; nil where these are not `width * height * 4`, or there are no
        /// pixels.
        ///
        /// - Parameters:
        ///   - width: The number of pixels of a row.
        ///   - height: The number of rows.
        ///   - bytes: Four bytes for each pixel: red, green, blue, alpha.
        public init?(width: Int, height: Int, bytes: [UInt8]) {
            guard Self.byteCount(width: width, height: height) == bytes.count else { return nil }
            self.width = width
            self.height = height
            self.bytes = bytes
        }

        /// Makes a bitmap of one color; nil where there are no pixels, or more than an `Int`
        /// counts.
        ///
        /// - Parameters:
        ///   - width: The number of pixels of a row.
        ///   - height: The number of rows.
        ///   - color: The color of all pixels. Default: transparent black.
        public init?(
            width: Int,
            height: Int,
            color: Pixel = Pixel(red: 0, green: 0, blue: 0, alpha: 0)
        ) {
            guard let count = Self.byteCount(width: width, height: height) else { return nil }
            self.width = width
            self.height = height
            bytes = unsafe Array(unsafeUninitializedCapacity: count) { buffer, initialized in
                for pixel in 0..<count / 4 {
                    unsafe buffer.initializeElement(at: pixel * 4, to: color.red)
                    unsafe buffer.initializeElement(at: pixel * 4 + 1, to: color.green)
                    unsafe buffer.initializeElement(at: pixel * 4 + 2, to: color.blue)
                    unsafe buffer.initializeElement(at: pixel * 4 + 3, to: color.alpha)
                }
                initialized = count
            }
        }

        /// Makes a bitmap of bytes whose count is known to be right.
        init(width: Int, height: Int, checked bytes: [UInt8]) {
            assert(bytes.count == width * height * 4)
            self.width = width
            self.height = height
            self.bytes = bytes
        }

        /// Whether any pixel is not opaque. Looks at every pixel.
        public var hasTransparency: Bool {
            var alpha = UInt8.max
            var index = 3
            while index < bytes.count {
                alpha &= bytes[index]
                index += 4
            }
            return alpha != .max
        }

        /// A pixel.
        ///
        /// - Parameters:
        ///   - x: The column, from 0 to ``width`` - 1; another one is a programming error.
        ///   - y: The row from the top, from 0 to ``height`` - 1; another one is a programming
        ///     error.
        public subscript(x: Int, y: Int) -> Pixel {
            get {
                let index = offset(x, y)
                return Pixel(
                    red: bytes[index],
                    green: bytes[index + 1],
                    blue: bytes[index + 2],
                    alpha: bytes[index + 3]
                )
            }
            set {
                let index = offset(x, y)
                bytes[index] = newValue.red
                bytes[index + 1] = newValue.green
                bytes[index + 2] = newValue.blue
                bytes[index + 3] = newValue.alpha
            }
        }

        /// Calls a closure with all bytes, to be changed in place.
        ///
        /// - Parameter change: Changes the bytes. The buffer must not leave the closure.
        /// - Returns: What the closure returns.
        /// - Throws: What the closure throws.
        public mutating func withUnsafeMutableBytes<Value, Failure>(
            _ change: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Value
        ) throws(Failure) -> Value {
            // The array may not be replaced, so that its count stays right.
            try unsafe bytes.withUnsafeMutableBufferPointer { buffer throws(Failure) in try unsafe change(buffer) }
        }

        /// The number of bytes of a bitmap; nil where there are no pixels, or too many for an
        /// `Int`.
        static func byteCount(width: Int, height: Int) -> Int? {
            guard width > 0, height > 0 else { return nil }
            let (pixels, overflows) = width.multipliedReportingOverflow(by: height)
            let (bytes, overflowsToo) = pixels.multipliedReportingOverflow(by: 4)
            return overflows || overflowsToo ? nil : bytes
        }

        private func offset(_ x: Int, _ y: Int) -> Int {
            precondition((0..<width).contains(x) && (0..<height).contains(y), "There is no such pixel.")
            return (y * width + x) * 4
        }
    }
#endif
