import NIOCore
import NIOHTTP1

/// One connection of a ``ResumableUploadServer``.
final class ResumableUploadHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer
    typealias Answer = ResumableUploadServer.Answer

    /// What is done with the body of the present request.
    private enum Stage {
        /// Nothing: the response is made at its end.
        case answer(Answer, isHead: Bool)
        case receive(Reception)
        /// The connection was ended.
        case over
    }

    private struct Reception {
        let upload: Int
        let version: Int?
        let endsUpload: Bool
        let cut: Int?
        let stall: Int?
        var received = 0
    }

    private let state: ResumableUploadState
    private var stage = Stage.over
    private var told = 0

    init(_ state: ResumableUploadState) {
        self.state = state
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head, context)
        case .body(let bytes): receive(bytes, context)
        case .end: end(context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    // MARK: The head

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let request = state.note(
            ResumableUploadServer.Request(
                method: head.method.rawValue,
                path: head.uri,
                fields: head.headers.map { ($0.name, $0.value) },
                number: 0
            )
        )
        told = 0
        if let answer = state.options.answer(request) {
            stage = .answer(answer, isHead: head.method == .HEAD)
            return
        }
        let version = request.value(of: "Upload-Draft-Interop-Version").flatMap { Int($0) }
        if head.uri.hasPrefix("/uploads/") {
            resume(request, version, context)
        } else {
            create(request, version, context)
        }
    }

    /// §4.2.2.
    private func create(_ request: ResumableUploadServer.Request, _ version: Int?, _ context: ChannelHandlerContext) {
        guard ["POST", "PUT", "PATCH"].contains(request.method) else {
            stage = .answer(Answer(405), isHead: request.method == "HEAD")
            return
        }
        let isOffered =
            request.value(of: "Upload-Complete") == "?1" && version.map(state.options.versions.contains) == true
        let number = state.create(
            ResumableUploadServer.Upload(
                path: request.path,
                method: request.method,
                length: request.value(of: "Content-Length").flatMap { Int($0) }
            )
        )
        begin(number, version: isOffered ? version : nil, endsUpload: true, at: 0, context)
        guard isOffered, state.options.announces, let version else { return }
        var fields = state.options.locations("/uploads/\(number)").map { ("Location", $0) }
        if let most = state.options.mostAtOnce { fields.append(("Upload-Limit", "max-append-size=\(most)")) }
        tell(version, fields, context)
    }

    /// §4.3.2, §4.4.2, §4.5.2.
    private func resume(_ request: ResumableUploadServer.Request, _ version: Int?, _ context: ChannelHandlerContext) {
        let isHead = request.method == "HEAD"
        guard let number = state.find(request.path) else {
            stage = .answer(Answer(404), isHead: isHead)
            return
        }
        state.activate(number, context.channel)
        let upload = state.upload(number)
        var fields = [
            ("Upload-Offset", "\(upload.bytes.count)"), ("Upload-Complete", upload.isComplete ? "?1" : "?0"),
            ("Cache-Control", "no-store"),
        ]
        if let length = upload.length, version ?? 0 > 6 { fields.append(("Upload-Length", "\(length)")) }
        switch request.method {
        case "HEAD": stage = .answer(Answer(204, fields), isHead: true)
        case "DELETE":
            state.remove(number)
            stage = .answer(Answer(204), isHead: false)
        case "PATCH":
            guard request.value(of: "Content-Type") == "application/partial-upload" else {
                stage = .answer(Answer(415), isHead: false)
                return
            }
            guard request.value(of: "Upload-Offset") == "\(upload.bytes.count)", !upload.isComplete else {
                stage = .answer(Answer(409, fields), isHead: false)
                return
            }
            let endsUpload = request.value(of: "Upload-Complete") == "?1"
            begin(number, version: version, endsUpload: endsUpload, at: upload.bytes.count, context)
        default: stage = .answer(Answer(405), isHead: false)
        }
    }

    private func begin(
        _ number: Int,
        version: Int?,
        endsUpload: Bool,
        at offset: Int,
        _ context: ChannelHandlerContext
    ) {
        state.activate(number, context.channel)
        state.change(number) { $0.pieces.append(.init(offset: offset, count: 0)) }
        let (cut, stall) = state.nextEnd()
        stage = .receive(Reception(upload: number, version: version, endsUpload: endsUpload, cut: cut, stall: stall))
    }

    // MARK: The body

    private func receive(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard case .receive(var reception) = stage else { return }
        let number = reception.upload
        let end = min(reception.cut ?? .max, reception.stall ?? .max)
        let taken = bytes.readableBytesView.prefix(end - reception.received)
        reception.received += taken.count
        state.change(number) { upload in
            upload.bytes += taken
            upload.pieces[upload.pieces.count - 1].count += taken.count
        }
        stage = .receive(reception)
        if let every = state.options.tellsEvery, let version = reception.version, reception.received - told >= every {
            told = reception.received
            tell(version, [("Upload-Offset", "\(state.upload(number).bytes.count)")], context)
        }
        if reception.received == reception.cut { self.end(cutting: number, context) }
        if reception.received == reception.stall { stage = .over }
    }

    /// Ends the connection as a broken one ends, but so that the client gets all that was sent.
    private func end(cutting number: Int, _ context: ChannelHandlerContext) {
        stage = .over
        state.change(number) { upload in
            let lost = min(state.options.loses, upload.pieces[upload.pieces.count - 1].count)
            upload.bytes.removeLast(lost)
            upload.pieces[upload.pieces.count - 1].count -= lost
        }
        context.close(mode: .output, promise: nil)
    }

    private func end(_ context: ChannelHandlerContext) {
        switch stage {
        case .over: break
        case .answer(let answer, let isHead): respond(answer, isHead: isHead, context)
        case .receive(let reception):
            let number = reception.upload
            guard reception.endsUpload else {
                let offset = state.upload(number).bytes.count
                respond(
                    Answer(204, [("Upload-Complete", "?0"), ("Upload-Offset", "\(offset)")]),
                    isHead: false,
                    context
                )
                return
            }
            state.change(number) { $0.isComplete = true }
            let upload = state.upload(number)
            var answer = state.options.result(upload)
            if reception.version != nil, upload.pieces.count > 1 { answer.fields.append(("Upload-Complete", "?1")) }
            respond(answer, isHead: false, context)
        }
        stage = .over
    }

    // MARK: Responses

    private func tell(_ version: Int, _ fields: [(String, String)], _ context: ChannelHandlerContext) {
        let fields = [("Upload-Draft-Interop-Version", "\(version)")] + fields
        write("HTTP/1.1 104 Upload Resumption Supported", fields, "", context)
    }

    private func respond(_ answer: Answer, isHead: Bool, _ context: ChannelHandlerContext) {
        guard !answer.isStalled else { return }
        guard !answer.isCut else {
            stage = .over
            context.close(mode: .output, promise: nil)
            return
        }
        var fields = answer.fields.map { ($0.name, $0.value) }
        if answer.status != 204 { fields.append(("Content-Length", "\(answer.body.utf8.count)")) }
        write("HTTP/1.1 \(answer.status) Scripted", fields, isHead ? "" : answer.body, context)
    }

    private func write(
        _ line: String,
        _ fields: [(String, String)],
        _ body: String,
        _ context: ChannelHandlerContext
    ) {
        let text = line + "\r\n" + fields.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n" + body
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }
}
