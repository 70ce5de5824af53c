#if Images
    /// The way in which the pixels of a file have to be turned to be upright: the values 1 to 8 of
    /// the tag Orientation of TIFF 6.0 and Exif.
    ///
    /// Counterpart of `UIImage.Orientation`.
    public enum ImageOrientation: Int, Sendable, Hashable, CaseIterable {
        /// The pixels are upright.
        case upright = 1
        /// Mirrored left to right.
        case mirrored = 2
        /// Turned by 180°.
        case down = 3
        /// Mirrored top to bottom.
        case downMirrored = 4
        /// Mirrored along the diagonal from the top left: rows are columns.
        case leftMirrored = 5
        /// To be turned by 90° clockwise.
        case right = 6
        /// Mirrored along the diagonal from the top right.
        case rightMirrored = 7
        /// To be turned by 90° counterclockwise.
        case left = 8

        /// Whether width and height change places.
        public var swapsSides: Bool { rawValue >= 5 }
    }

    extension Bitmap {
        /// The pixels turned upright.
        ///
        /// - Parameter orientation: The orientation that they have.
        /// - Returns: The bitmap.
        public func oriented(_ orientation: ImageOrientation) -> Bitmap {
            guard orientation != .upright else { return self }
            let (width, height) = orientation.swapsSides ? (height, width) : (width, height)
            // The place in the source of the first pixel of the result, and the steps from there to
            // the next one in the row and in the column.
            let (row, lastX, lastY) = (self.width, self.width - 1, (self.height - 1) * self.width)
            let (start, stepX, stepY) =
                switch orientation {
                case .upright: (0, 1, row)
                case .mirrored: (lastX, -1, row)
                case .down: (lastY + lastX, -1, -row)
                case .downMirrored: (lastY, 1, -row)
                case .leftMirrored: (0, row, 1)
                case .right: (lastY, -row, 1)
                case .rightMirrored: (lastY + lastX, -row, -1)
                case .left: (lastX, row, -1)
                }
            let turned = unsafe [UInt8](unsafeUninitializedCapacity: bytes.count) { target, count in
                count = bytes.count
                let target = UnsafeMutableRawBufferPointer(target)
                // Both have the same number of pixels, and the steps stay among those of the
                // source.
                unsafe bytes.withUnsafeBytes { source in
                    var place = 0
                    for y in 0..<height {
                        var pixel = start + y * stepY
                        for _ in 0..<width {
                            let value = unsafe source.loadUnaligned(fromByteOffset: pixel * 4, as: UInt32.self)
                            unsafe target.storeBytes(of: value, toByteOffset: place, as: UInt32.self)
                            place += 4
                            pixel += stepX
                        }
                    }
                }
            }
            return Bitmap(width: width, height: height, checked: turned)
        }
    }
#endif
