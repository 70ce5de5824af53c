import BenchmarkSupport
import BluebonnetImages

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The benchmark client for `BluebonnetImages`.
@main
enum ImagesClient {
    /// Runs the workload that the arguments name.
    static func main() throws {
        let options = BenchmarkOptions.fromCommandLine()
        let good = try SerializationRun(client: "bluebonnet", options: options).measure(Images())
        exit(good ? 0 : 1)
    }
}

/// `ImageDecoder`, which makes the image small while it decodes.
private struct Images: SerializationClient {
    func thumbnail(_ document: Data) throws -> Int {
        var decoder = ImageDecoder()
        decoder.targetSize = ImageSize(width: 320, height: 240)
        let image = try decoder.decode(document)
        return image.width * image.height
    }

    func value(_ document: Data) throws -> Int { throw NoSuchWorkload() }
    func decode<Value: Decodable>(_ type: Value.Type, _ document: Data) throws -> Value { throw NoSuchWorkload() }
    func query() throws -> Int { throw NoSuchWorkload() }
    func multipart() throws -> Int { throw NoSuchWorkload() }
}
