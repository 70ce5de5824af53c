import HTTPTypes

/// Undoes content codings (RFC 9110 §8.4) and tells the server which ones can be undone (§12.5.3).
///
/// The header fields of the response stay as the server sent them. A coding that is not known leaves the body as it came.
struct ContentDecodingInterceptor: Interceptor {
    func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
        var request = request
        if !request.headerFields.contains(where: { $0.name == .acceptEncoding }) {
            request.headerFields.append(HTTPField(name: .acceptEncoding, value: "gzip, deflate"))
        }
        var response = try await next(request)
        guard let codings = response.head[.contentEncoding],
            let coding = ContentCoding(contentEncoding: codings), !coding.isIdentity
        else { return response }
        response.body = ResponseBody(.decoded(response.body, coding: coding, limits: context.configuration.limits))
        return response
    }
}
