#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A serializer under the validation of a manager, which comes first.
struct ManagerResponseSerializer<Base: ResponseSerializer>: ResponseSerializer {
    let base: Base
    let validation: ResponseValidation

    func serialize(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) -> Base.Output {
        guard var failure = validation.failure(body, head: head, request: request) else {
            return try base.serialize(body, head: head, request: request)
        }
        guard !failure.contains(.unacceptableContentType) else { throw failure }
        do {
            failure.parsedBody = try base.serialize(body, head: head, request: request)
        } catch {
            failure.parsedBody = error.parsedBody
        }
        throw failure
    }
}
