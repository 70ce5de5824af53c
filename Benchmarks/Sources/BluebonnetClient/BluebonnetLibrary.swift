import BenchmarkSupport
import Bluebonnet
import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Bluebonnet, used as its documentation shows.
struct BluebonnetLibrary: BenchmarkClient {
    private let api: HTTPSessionManager
    private let segments: Int?
    private let pins: PinFile?

    /// Creates the manager and its session.
    ///
    /// - Parameters:
    ///   - configuration: The settings of the session.
    ///   - segments: The connections of a download task; nil for streams into files.
    ///   - pins: Pins that are new for each request, so that no verdict about a server is known.
    init(configuration: SessionConfiguration, segments: Int? = nil, pins: PinFile? = nil) {
        api = HTTPSessionManager(configuration: configuration)
        self.segments = segments
        self.pins = pins
    }

    func get(_ url: String) async throws -> Int {
        try pins?.renew()
        return try await api.get(url, as: .data).count
    }

    func download(_ url: String) async throws -> Int {
        var count = 0
        for try await piece in try await stream(url).body {
            count += piece.count
        }
        return count
    }

    func echo(_ messages: Int, inFlight: Int, at url: String) async throws -> Int {
        guard let url = URL(string: url) else { return 0 }
        var options = WebSocketOptions()
        options.compression = nil
        let socket = api.session.webSocket(url, options: options)
        let message = WebSocketMessage.text("0123456789abcdef")
        var (sent, received) = (0, 0)
        while received < messages {
            while sent < messages, sent - received < inFlight {
                try await socket.send(message)
                sent += 1
            }
            guard try await socket.receive() == message else { break }
            received += 1
        }
        await socket.close()
        return received
    }

    func downloadThroughCache(_ url: String) async throws -> Int {
        var count = 0
        for policy in [CachePolicy.reload, .default] {
            var request = try api.request(.get, url)
            request.properties.cachePolicy = policy
            let response = try await api.session.open(request)
            guard response.head.status == .ok else { throw UnexpectedStatus(status: response.head.status.code) }
            for try await piece in response.body { count += piece.count }
        }
        return count
    }

    func download(_ url: String, to path: String) async throws -> Int {
        guard let segments else { return try await stream(url).body.write(to: URL(filePath: path)) }
        try await api.download(url, options: [.downloadSegments(segments)], to: URL(filePath: path))
        return try OutputFile.size(of: path)
    }

    func upload(_ path: String, to url: String) async throws -> Int {
        var request = try api.request(.put, url)
        request.body = try .file(URL(filePath: path))
        return try SinkResponse.received(try await api.session.response(for: request, as: .data).value)
    }

    func uploadMultipart(_ path: String, to url: String) async throws -> Int {
        var form = MultipartFormData()
        try form.append(fileURL: URL(filePath: path), name: "file")
        var request = try api.request(.put, url)
        try request.setBody(multipart: form)
        let envelope = (form.contentLength ?? 0) - (try RequestBody.file(URL(filePath: path)).length ?? 0)
        return try SinkResponse.received(try await api.session.response(for: request, as: .data).value) - envelope
    }

    func records(_ url: String) async throws -> Int {
        let records: [FlatRecord] = try await api.get(url)
        return records.count
    }

    private func stream(_ url: String) async throws -> TransportResponse {
        let response = try await api.session.open(try api.request(.get, url))
        guard response.head.status == .ok else { throw UnexpectedStatus(status: response.head.status.code) }
        return response
    }
}

/// A list with the pin of the authority that the servers of a benchmark have.
struct PinFile {
    /// The list of the session.
    let list: PinList
    private let text: Data

    /// Makes the list for the host and the authority of the options.
    init(_ options: BenchmarkOptions) throws {
        let host = URL(string: options.url)?.host() ?? ""
        let pins = try PinnedCertificate.certificates(inFile: options.trust ?? "").map { "\"\($0.publicKeyPin)\"" }
        text = Data("{\"hosts\": {\"\(host)\": {\"pins\": [\(pins.joined(separator: ","))]}}}".utf8)
        list = try PinList(text)
    }

    /// Reads the list again: verdicts under the list before no longer count.
    func renew() throws { try list.load(text) }
}
