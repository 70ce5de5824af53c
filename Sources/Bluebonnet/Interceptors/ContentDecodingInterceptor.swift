import HTTPTypes

/// Undoes content codings (RFC 9110 §8.4) and tells the server which ones can be undone (§12.5.3).
///
/// The header fields of the response stay as the server sent them. A coding that is not known leaves the body as it came.
/// So does a 206: its content is a part of the coded bytes (§14.4), and only the whole can be decoded. A request for a
/// range therefore asks for no coding.
struct ContentDecodingInterceptor: Interceptor {
    private static let offer = HTTPField(name: .acceptEncoding, value: ContentCoding.offer)
    private static let identity = HTTPField(name: .acceptEncoding, value: "identity")

    func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
        var request = request
        if !request.headerFields.contains(where: { $0.name == .acceptEncoding }) {
            let hasRange = request.headerFields.contains { $0.name == .range }
            request.headerFields.append(hasRange ? Self.identity : Self.offer)
        }
        var response = try await next(request)
        guard let codings = response.head[.contentEncoding], response.head.statusCode != 206 else { return response }
        do {
            guard let coding = try ContentCoding(contentEncoding: codings), !coding.isIdentity else { return response }
            let decoding = ResponseBody.Decoding(
                coding: coding,
                limits: context.settings.configuration.limits,
                control: context.control
            )
            response.body = ResponseBody(.decoded(response.body, decoding))
            return response
        } catch {
            throw error.completed(request: response.request, response: response.head)
        }
    }
}
