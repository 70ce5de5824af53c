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
                let continuation = ImageContinuation(request, from: core.takePartial(key))
                // What has come stays for the next transfer, unless this one brings the whole.
                defer { if let partial = continuation.partial { core.keep(partial, for: key) } }
                while true {
                    let task = core.session.dataTask(
                        for: prepared(continuation),
                        as: RawImageSerializer(validation: core.validation, continuation: continuation)
                    )
                    // Nobody may have waited for it any more before it was known.
                    guard core.began(task, of: transfer) else {
                        throw NetworkingError(.cancelled, "Nobody waits for the image any more.", request: request)
                    }
                    task.onProgress { [core, transfer] in core.tell(continuation.progress($0), of: transfer) }
                    switch await task.result {
                    case .success(let response):
                        let step = continuation.step(for: response.head)
                        let bytes = step == .complete ? continuation.partial?.bytes : response.value
                        continuation.startOver()
                        guard step != .restart, let bytes else { continue }
                        head = response.head
                        return bytes
                    case .failure(let error):
                        // A response that came as a whole and was refused: 416, or another version.
                        let refused = error.code.family == .validation ? error.response : nil
                        switch refused.flatMap({ continuation.step(for: $0) }) {
                        case .restart: continuation.startOver()
                        case .complete:
                            guard let bytes = continuation.partial?.bytes else { throw error }
                            continuation.startOver()
                            head = refused
                            return bytes
                        case .whole, .append, nil:
                            continuation.note(error)
                            throw error
                        }
                    }
                }
            }

            /// The request for what is missing, with what follows it.
            private func prepared(_ continuation: ImageContinuation) -> Request {
                var request = continuation.next
                if continuation.partial == nil, core.wantsParts(of: transfer) {
                    request.interceptors.append(ImageParts(core: core, transfer: transfer))
                }
                if continuation.isRepeated(by: core.session) { request.retriers.append(continuation) }
                return request
            }
        }
    }
#endif
