#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads or writes one document over and over in one thread: the workloads that need no network.
public struct SerializationRun: Sendable {
    private let client: String
    private let options: BenchmarkOptions

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - client: The name of the client, for the printed line.
    ///   - options: The workload and its options.
    public init(client: String, options: BenchmarkOptions) {
        self.client = client
        self.options = options
    }

    /// Warms up, measures and prints.
    ///
    /// - Parameter library: The library to measure.
    /// - Returns: Whether every document had the expected result.
    /// - Throws: What the library throws, and when the file cannot be read.
    public func measure(_ library: some SerializationClient) throws -> Bool {
        let document = options.file.isEmpty ? Data() : try Data(contentsOf: URL(filePath: options.file))
        for _ in 0..<options.warmUp { _ = try once(library, document) }
        let before = ProcessUsage.current()
        let start = ContinuousClock.now
        var amount = 0
        var errors = 0
        for _ in 0..<options.requests {
            let count = try once(library, document)
            amount += count
            if let expected = options.expected, expected != count { errors += 1 }
        }
        let wall = ContinuousClock.now - start
        let after = ProcessUsage.current()
        let result = BenchmarkResult(
            client: client,
            workload: options.workload.rawValue,
            count: options.requests,
            amount: amount,
            errors: errors,
            wallSeconds: wall / .seconds(1),
            userSeconds: after.user - before.user,
            systemSeconds: after.system - before.system,
            contextSwitches: after.contextSwitches - before.contextSwitches,
            peakBytes: after.peakBytes
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(result), as: UTF8.self))
        return errors == 0
    }

    private func once(_ library: some SerializationClient, _ document: Data) throws -> Int {
        switch options.workload {
        case .jsonDecodable: try library.decode([FlatRecord].self, document).count
        case .jsonDecodableTexts: try library.decode(JSONDocuments.Texts.self, document).statuses.count
        case .jsonDecodableStructure: try library.decode(JSONDocuments.Structure.self, document).performances.count
        case .jsonDecodableDoubles: try library.decode(JSONDocuments.Doubles.self, document).features.count
        case .encodeQuery: try library.query()
        case .encodeMultipart: try library.multipart()
        case .cookies10000: try library.cookies()
        case .imageThumbnail: try library.thumbnail(document)
        default: try library.value(document)
        }
    }
}
