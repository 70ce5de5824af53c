#if Images
    import Foundation

    @testable import BluebonnetImages

    /// Images: what their bytes say of them, and their pixels.
    extension FuzzTarget {
        /// Sizes are positive, frames are counted, and an image that is not known has no facts.
        static func image(_ input: [UInt8]) throws(Violation) -> String {
            let data = Data(input)
            let information: ImageInformation
            do throws(ImageDecodingError) {
                information = try ImageInformation(of: data)
            } catch {
                guard (ImageFormat(of: data) == nil) == (error.reason == .unknownFormat) else {
                    throw Violation(description: "the format and the error differ: \(error)")
                }
                return "\(error.format?.name ?? "") \(error.reason) \(error.message.prefix(40))"
            }
            guard information.width.map({ $0 > 0 }) ?? true, information.height.map({ $0 > 0 }) ?? true else {
                throw Violation(description: "the size is not positive: \(information)")
            }
            guard (1...ImageInformation.countedFrames).contains(information.frameCount) else {
                throw Violation(description: "the number of frames is \(information.frameCount)")
            }
            var decoder = ImageDecoder()
            decoder.formats = ImageFormat.all
            // What is read before a loader gets the bytes: also the pictures in a HEIF.
            var reason = ""
            do throws(ImageDecodingError) {
                _ = try DecodingPlan(decoder, data)
            } catch {
                reason = error.reason.description
            }
            let digits = "\(information.width ?? 0)".count + "\(information.height ?? 0)".count
            let frames = min(information.frameCount, 4)
            return "\(information.format) \(digits) \(frames) \(information.orientation) \(reason)"
        }

        /// Bytes become an image or an error within the limits of a helper process. A loader of the
        /// system may crash there; this program does not.
        static func imageHelper(_ input: [UInt8]) throws(Violation) -> String {
            var helper = ImageHelperProcess()
            let program = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
            helper.executable = program.deletingLastPathComponent().appending(path: "BluebonnetCommand")
            var decoder = ImageDecoder()
            decoder.formats = ImageFormat.all
            decoder.helper = helper
            decoder.limits.maximumPixelCount = 1_000_000
            decoder.limits.maximumTotalPixelCount = 1_000_000
            do throws(ImageDecodingError) {
                let image = try decoder.decode(Data(input))
                guard image.byteCount == image.frames.count * image.width * image.height * 4 else {
                    throw ImageDecodingError(.helperFailed, "the number of bytes is wrong")
                }
                return "\(image.metadata.format?.name ?? "") \(min(image.frames.count, 4))"
            } catch {
                guard error.reason != .helperFailed else { throw Violation(description: error.message) }
                return "\(error.format?.name ?? "") \(error.reason) \(error.message.prefix(60))"
            }
        }
    }
#endif
