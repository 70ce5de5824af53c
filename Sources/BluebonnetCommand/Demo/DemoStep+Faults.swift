import Bluebonnet
import FoundationEssentials
import HTTPTypes
import LocalServer

/// Faults and their errors.
extension DemoStep {
    static let errorWithBody = DemoStep(
        title: "A 404 is an error that carries the body",
        code: #"catch let error as NetworkingError { error.code; error.response?.status; error.bodyString }"#
    ) { stage in
        let response = FaultStep.respond(
            404,
            headers: [("Content-Type", "application/json")],
            body: #"{"reason":"no such user"}"#
        )
        return try await FaultServer.run([.readRequest, response]) { server in
            let api = HTTPSessionManager(baseURL: try DemoStage.url(server.baseURL), session: stage.session)
            let error = try await DemoStage.error(expected: .unacceptableStatusCode) {
                try await api.get("users/7", as: .json)
            }
            let body = error.bodyString
            try DemoFailure.unless(body == #"{"reason":"no such user"}"#, expected: "the body", got: body)
            return "\(error.code): \(error.message) Body: \(body ?? "")"
        }
    }

    static let timeout = DemoStep(
        title: "A timeout for the whole request",
        code: #"request.timeouts = Timeouts(request: .milliseconds(200)); try await session.data(for: request)"#
    ) { stage in
        var request = Request(url: try stage.url("/delay/10"))
        request.timeouts = Timeouts(request: .milliseconds(200))
        let startedAt = ContinuousClock.now
        let error = try await DemoStage.error(expected: .requestTimeout) {
            _ = try await stage.session.data(for: request)
        }
        let time = startedAt.duration(to: .now)
        try DemoFailure.unless(time < .seconds(5), expected: "an end after 200 ms", got: time)
        return "\(error.code) after \(Int(time / .milliseconds(1))) ms"
    }

    static let timeoutInBody = DemoStep(
        title: "Timeouts also fire in the middle of a body",
        code: #"request.timeouts = Timeouts(betweenBytes: .milliseconds(200))"#
    ) { stage in
        let half = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"
        return try await FaultServer.run([.readRequest, .send(half), .stall]) { server in
            var request = Request(url: try DemoStage.url(server.baseURL + "/half"))
            request.timeouts = Timeouts(betweenBytes: .milliseconds(200))
            let error = try await DemoStage.error(expected: .betweenBytesTimeout) {
                _ = try await stage.session.data(for: request)
            }
            let status = error.response?.status.code
            try DemoFailure.unless(status == 200, expected: "the head beside the error", got: status)
            return "\(error.code): \(error.message)"
        }
    }

    static let trusted = DemoStep(
        title: "TLS with a certificate authority of your own",
        code: #"configuration.tls.trustRoots = .pem(authority)"#
    ) { stage in
        let tls = ServerTLS(stage.certificates.localhost)
        return try await LocalServer.run(LocalServer.Options(tls: tls)) { server in
            let response = try await secureSession(stage).data(
                for: Request(url: DemoStage.url(server.baseURL + "/get"))
            )
            try DemoFailure.unless(response.status.code == 200, expected: "200", got: response.status)
            return
                "\(response.status) from \(response.url), TLS took \(Int((response.timings.tls ?? .zero) / .microseconds(1))) µs"
        }
    }

    static let untrusted = DemoStep(
        title: "Without that authority the connection is refused, with the reason",
        code: #"try await SessionManager().data(for: request)"#
    ) { stage in
        let tls = ServerTLS(stage.certificates.localhost)
        return try await LocalServer.run(LocalServer.Options(tls: tls)) { server in
            let request = Request(url: try DemoStage.url(server.baseURL + "/get"))
            let error = try await DemoStage.error(expected: .certificateUntrusted) {
                _ = try await stage.session.data(for: request)
            }
            return "\(error.code): \(error.message)"
        }
    }

    static let expired = DemoStep(
        title: "An expired certificate has its own error code",
        code: #"error.code == .certificateExpired"#
    ) { stage in
        let tls = ServerTLS(stage.certificates.expired)
        return try await LocalServer.run(LocalServer.Options(tls: tls)) { server in
            let request = Request(url: try DemoStage.url(server.baseURL + "/get"))
            let error = try await DemoStage.error(expected: .certificateExpired) {
                _ = try await secureSession(stage).data(for: request)
            }
            return "\(error.code): \(error.message)"
        }
    }

    private static func secureSession(_ stage: DemoStage) -> SessionManager {
        var configuration = SessionConfiguration()
        configuration.tls.trustRoots = .pem(stage.certificates.authority.certificatePEM)
        return SessionManager(configuration: configuration)
    }
}
