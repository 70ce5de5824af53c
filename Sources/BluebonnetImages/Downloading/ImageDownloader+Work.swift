#if Images
    import Bluebonnet
    import FoundationEssentials

    extension ImageDownloader {
        /// The images of one transfer: the body is fetched when it is needed, decoded once for each
        /// size, and processed once for each list of processors.
        struct Work {
            private let core: Core
            private let transfer: Int
            private let request: ImageRequest
            private var body: Data?
            private var originals: [ImageSize?: Result<Image, NetworkingError>] = [:]

            /// The head of the response; nil before there is one.
            private(set) var head: ResponseHead?

            init(_ core: Core, _ transfer: Int, _ request: ImageRequest) {
                self.core = core
                self.transfer = transfer
                self.request = request
            }

            /// Whether the transfer has failed, and not only what one of those who wait wants.
            private(set) var hasFailed = false

            /// The image as it is wanted, which is then in the cache.
            mutating func image(for wanted: ImageRequest) async throws(NetworkingError) -> Image {
                // It may have come since it was asked for.
                if let image = core.cached(wanted) { return image }
                let original = try await original(for: wanted)
                guard !wanted.processors.isEmpty else { return original }
                let processors = wanted.processors
                let image: Image
                do {
                    image = try await ImageWork.run {
                        try processors.reduce(original) { try $1.process($0) }
                    }
                } catch {
                    throw failure("The image could not be processed: \(error)", error)
                }
                store(image, wanted, wanted.additionalIdentifier)
                return image
            }

            /// The image without its processors.
            private mutating func original(for wanted: ImageRequest) async throws(NetworkingError) -> Image {
                if let original = originals[wanted.targetSize] { return try original.get() }
                var plain = wanted
                plain.processors = []
                let original: Result<Image, NetworkingError>
                if let image = core.cached(plain) {
                    original = .success(image)
                } else {
                    original = await decoded(try await fetchedBody(), wanted.targetSize)
                    // An image that is only wanted processed is not kept as it came.
                    if wanted.processors.isEmpty, case .success(let image) = original {
                        store(image, wanted, wanted.additionalIdentifier)
                    }
                }
                originals[wanted.targetSize] = original
                return try original.get()
            }

            private func decoded(_ body: Data, _ size: ImageSize?) async -> Result<Image, NetworkingError> {
                do throws(ImageDecodingError) {
                    return .success(try await core.decode(body, size))
                } catch {
                    let message = "The response is not an image that can be decoded: \(error.message)"
                    return .failure(failure(message, error))
                }
            }

            private func store(_ image: Image, _ wanted: ImageRequest, _ identifier: String?) {
                guard wanted.writesCache, let cache = core.cache,
                    cache.shouldCache(image, for: wanted.request, additionalIdentifier: identifier)
                else { return }
                cache.add(image, for: wanted.identifier(in: cache, identifier))
            }

            private func failure(_ message: String, _ error: any Error) -> NetworkingError {
                NetworkingError(
                    .responseSerializationFailed,
                    message,
                    request: request.request,
                    response: head,
                    underlying: error
                )
            }

            // MARK: The transfer

            private mutating func fetchedBody() async throws(NetworkingError) -> Data {
                if let body { return body }
                do throws(NetworkingError) {
                    let body = try await fetch()
                    self.body = body
                    return body
                } catch {
                    hasFailed = true
                    throw error
                }
            }

            /// Fetches the body, or the rest of one that came in part before.
            private mutating func fetch() async throws(NetworkingError) -> Data {
                let (request, key) = (request.request, request.transferKey)
                var partial = core.takePartial(key)
                while true {
                    var next = partial?.continuing(request) ?? request
                    if partial == nil, core.wantsParts(of: transfer) {
                        next.interceptors.append(ImageParts(core: core, transfer: transfer))
                    }
                    let task = core.session.dataTask(for: next, as: core.serializer)
                    // Nobody may have waited for it any more before it was known.
                    guard core.began(task, of: transfer) else {
                        if let partial { core.keep(partial, for: key) }
                        throw NetworkingError(.cancelled, "Nobody waits for the image any more.", request: request)
                    }
                    task.onProgress { [core, transfer] in core.tell($0, of: transfer) }
                    switch await task.result {
                    case .success(let response):
                        let step = partial?.step(for: response.head, to: request)
                        guard step != .restart else { break }
                        head = response.head
                        let earlier = partial?.bytes ?? Data()
                        return step == .append ? earlier + response.value : step == .complete ? earlier : response.value
                    case .failure(let error):
                        let step = error.response.flatMap { partial?.step(for: $0, to: request) }
                        guard step != .restart else { break }
                        // 416: what is here was all.
                        if step == .complete, let partial {
                            head = error.response
                            return partial.bytes
                        }
                        keep(error, partial, key)
                        throw error
                    }
                    // The earlier part is of no use.
                    partial = nil
                }
            }

            /// Keeps what a failed transfer has brought.
            private func keep(_ error: NetworkingError, _ earlier: PartialBody?, _ key: String) {
                guard let head = error.response, let body = error.body else {
                    // It brought nothing, and the rest may come next time.
                    if let earlier, error.response == nil { core.keep(earlier, for: key) }
                    return
                }
                guard let partial = PartialBody(body, of: head, to: request.request, continuing: earlier) else {
                    return
                }
                core.keep(partial, for: key)
            }
        }
    }
#endif
