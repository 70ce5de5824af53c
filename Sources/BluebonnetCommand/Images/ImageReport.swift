#if Images
    import Bluebonnet
    import BluebonnetImages
    import FoundationEssentials

    /// What `bluebonnet image info` shows.
    struct ImageReport {
        private let information: ImageInformation?
        private let failure: ImageDecodingError?
        private let byteCount: Int

        /// Decodes the bytes in a helper process, to see whether they are an image.
        init(_ data: Data) {
            byteCount = data.count
            information = try? ImageInformation(of: data)
            do throws(ImageDecodingError) {
                _ = try Self.decoder.decode(data)
                failure = nil
            } catch {
                failure = error
            }
        }

        /// Whether the bytes are an image that can be decoded.
        var isDecodable: Bool { failure == nil }

        /// Decodes an image in a helper process.
        ///
        /// - Throws: ``CommandFailure``.
        static func decode(
            _ data: Data,
            _ change: (inout ImageDecoder) -> Void
        ) throws(CommandFailure) -> Image {
            var decoder = decoder
            decoder.decodesAnimations = false
            change(&decoder)
            do throws(ImageDecodingError) {
                return try decoder.decode(data)
            } catch {
                throw CommandFailure(message: ShownText.harmless(error.description), status: .transport)
            }
        }

        /// The most bytes of an image.
        static var maximumByteCount: Int { decoder.limits.maximumByteCount }

        private static var decoder: ImageDecoder {
            var decoder = ImageDecoder()
            decoder.formats = ImageFormat.all
            decoder.helper = ImageHelperProcess()
            return decoder
        }

        /// The facts, each with its name. Unknown ones are missing.
        private var facts: [(name: String, value: JSONValue)] {
            var facts: [(name: String, value: JSONValue)] = [("bytes", JSONValue(byteCount))]
            if let format = information?.format ?? failure?.format {
                facts.append(("format", .string(format.name)))
                facts.append(("mediaType", .string(format.mediaTypes[0])))
            }
            if let information {
                if let width = information.width { facts.append(("width", JSONValue(width))) }
                if let height = information.height { facts.append(("height", JSONValue(height))) }
                facts.append(("frames", JSONValue(information.frameCount)))
                if information.frameCount > 1 { facts.append(("loops", JSONValue(information.loopCount))) }
                facts.append(("orientation", JSONValue(information.orientation.rawValue)))
            }
            facts.append(("decodable", .bool(isDecodable)))
            if let failure {
                facts.append(("reason", .string(failure.reason.description)))
                facts.append(("message", .string(failure.message)))
            }
            return facts
        }

        /// The facts as a JSON object.
        var json: JSONValue {
            .object(JSONObject(facts.map { ($0.name, $0.value) }))
        }

        /// The facts for a person, one line each.
        var text: String {
            facts.map { "\($0.name): \(ShownText.harmless($0.value.string ?? $0.value.description))" }
                .joined(separator: "\n")
        }
    }

    extension ImageDecoder {
        mutating func targetWidth(_ width: Int, height: Int) {
            targetSize = ImageSize(width: width, height: height)
        }
    }

    extension Image {
        /// Writes the pixels to a file, in the format of its name.
        ///
        /// - Throws: ``CommandFailure``.
        func write(to path: String, quality: Int) throws(CommandFailure) {
            let data: Data
            do {
                data =
                    path.lowercased().hasSuffix(".png")
                    ? try bitmap.pngData() : try bitmap.jpegData(quality: Double(quality) / 100)
            } catch {
                throw CommandFailure(message: "The image cannot be written: \(path): \(error).", status: .transport)
            }
            try OutputFile.write(data, to: path, as: "The image")
        }
    }
#endif
