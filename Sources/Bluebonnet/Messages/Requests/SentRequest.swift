import HTTPTypes

/// A request as it was sent: with the `Accept-Encoding` that the engine wrote behind its fields. The two are put together only
/// for whoever looks.
struct SentRequest: Sendable {
    /// The request as it came to the engine.
    let base: Request
    private let offer: ContentCoding.Offer?

    init(_ base: Request, offer: ContentCoding.Offer? = nil) {
        self.base = base
        self.offer = offer
    }

    var request: Request {
        guard let offer else { return base }
        var request = base
        request.headerFields.append(HTTPField(name: .acceptEncoding, value: offer.value))
        return request
    }
}
