import Crypto
import FoundationEssentials
import HTTPTypes
import NIOCore
import Synchronization

/// The digests that a download must have: the user's checksum, and those that its responses name
/// (RFC 9530).
///
/// Bytes are hashed while they are written. What was there before, and what came in another order,
/// is read again.
final class DownloadDigests: Sendable {
    /// What a digest is of.
    enum Subject: String {
        case checksum = "The checksum of the request"
        /// The whole file (§3).
        case representation = "Repr-Digest of the response"
        /// The body of one response (§2).
        case content = "Content-Digest of the response"
    }

    /// A digest of one algorithm that is being computed.
    private struct Hasher {
        private var sha256: SHA256?
        private var sha512: SHA512?

        init(_ algorithm: Checksum.Algorithm) {
            switch algorithm {
            case .sha256: sha256 = SHA256()
            case .sha512: sha512 = SHA512()
            }
        }

        mutating func update(_ buffer: ByteBuffer) {
            // The bytes are only read, while the buffer is held.
            unsafe buffer.withUnsafeReadableBytes { bytes in
                unsafe sha256?.update(bufferPointer: bytes)
                unsafe sha512?.update(bufferPointer: bytes)
            }
        }

        var digest: [UInt8] { sha256.map { Array($0.finalize()) } ?? sha512.map { Array($0.finalize()) } ?? [] }
    }

    private struct Check {
        let subject: Subject
        let algorithm: Checksum.Algorithm
        let expected: [UInt8]
        /// Where in the file the bytes begin.
        let start: Int
        var hasher: Hasher
        /// Up to where they are hashed.
        var position: Int

        init(_ subject: Subject, _ algorithm: Checksum.Algorithm, _ expected: [UInt8], from start: Int) {
            self.subject = subject
            self.algorithm = algorithm
            self.expected = expected
            self.start = start
            hasher = Hasher(algorithm)
            position = start
        }

        mutating func update(_ buffer: ByteBuffer) {
            hasher.update(buffer)
            position += buffer.readableBytes
        }

        mutating func restart() {
            (hasher, position) = (Hasher(algorithm), start)
        }
    }

    /// The most bytes that are read in one piece of work.
    private static let portion = 1 << 24

    private let checks = Mutex<[Check]>([])

    /// - Throws: ``NetworkingError/Code/invalidRequest`` for a checksum that is none.
    init(_ checksum: Checksum?) throws(NetworkingError) {
        guard let checksum else { return }
        let check = Check(.checksum, checksum.algorithm, try checksum.checked(), from: 0)
        checks.withLock { $0 = [check] }
    }

    /// Whether nothing is hashed.
    var isEmpty: Bool { checks.withLock { $0.isEmpty } }

    /// Takes the digests of a response whose body begins at a position.
    ///
    /// Those of encoded bytes are left out, because the decoded ones are written; unknown and
    /// deprecated algorithms too, and digests of a wrong length.
    func expect(_ response: TransportResponse, at position: Int) {
        let (head, method) = (response.head, response.request.method)
        let isReadable = method != .head && !head.hasContentEncoding
        // A part that the user asked for is not the whole.
        let isWhole = method == .get && (head.statusCode == 200 || position > 0)
        let content = isReadable ? Self.digests(head, "Content-Digest") : []
        let representation = isReadable && isWhole ? Self.digests(head, "Repr-Digest") : []
        checks.withLock { checks in
            Self.begin(&checks, at: position)
            Self.add(representation, to: &checks)
            checks += content.map { Check(.content, $0, $1, from: position) }
        }
    }

    /// Takes the digest of the whole from a response with a part of it, beside which others come.
    ///
    /// - Parameters:
    ///   - response: The response. The digest of its content is left out: its end may not be read.
    ///   - isNew: Whether nothing of the file is there.
    func expectWhole(_ response: TransportResponse, isNew: Bool) {
        let representation = Self.digests(response.head, "Repr-Digest")
        checks.withLock { checks in
            if isNew { Self.begin(&checks, at: 0) }
            Self.add(representation, to: &checks)
        }
    }

    /// Forgets what was hashed behind a position, and at zero the digests of earlier responses.
    private static func begin(_ checks: inout [Check], at position: Int) {
        if position == 0 { checks.removeAll { $0.subject != .checksum } }
        for index in checks.indices where position < checks[index].position { checks[index].restart() }
    }

    private static func add(_ digests: [(Checksum.Algorithm, [UInt8])], to checks: inout [Check]) {
        for (algorithm, digest) in digests
        where !checks.contains(where: { $0.subject == .representation && $0.expected == digest }) {
            checks.append(Check(.representation, algorithm, digest, from: 0))
        }
    }

    private static func digests(_ head: ResponseHead, _ name: String) -> [(Checksum.Algorithm, [UInt8])] {
        guard let values = HTTPField.Name(name).map({ head.values(for: $0) }), !values.isEmpty,
            let dictionary = StructuredDictionary(values.joined(separator: ", "))
        else { return [] }
        return Checksum.Algorithm.allCases.compactMap { algorithm in
            guard let digest = dictionary.byteSequences[algorithm.rawValue], digest.count == algorithm.byteCount else {
                return nil
            }
            return (algorithm, digest)
        }
    }

    /// Hashes what was written at a position of a file, or next to a pipe.
    func update(_ blocks: [ByteBuffer], at position: Int?) {
        checks.withLock { checks in
            for index in checks.indices where checks[index].position == position ?? checks[index].position {
                for block in blocks { checks[index].update(block) }
            }
        }
    }

    /// Reads what is not hashed yet of the checksum, up to a position.
    func catchUp(_ file: SystemFile, to end: Int, _ context: ExchangeContext) async throws {
        try await catchUp(file, to: end, context) { $0 == .checksum }
    }

    private func catchUp(
        _ file: SystemFile,
        to end: Int,
        _ context: ExchangeContext,
        _ isWanted: @escaping @Sendable (Subject) -> Bool
    ) async throws {
        // A large file takes minutes, in which the task may be stopped.
        repeat {
            try context.checkStopped()
        } while try await BlockingThreads.files.run {
            try self.readNext(of: file, to: end, isWanted)
        }
    }

    /// Hashes the next portion; false when nothing is missing.
    private func readNext(of file: SystemFile, to end: Int, _ isWanted: (Subject) -> Bool) throws -> Bool {
        try checks.withLock { checks in
            let missing = checks.indices.filter { isWanted(checks[$0].subject) && checks[$0].position < end }
            guard let start = missing.map({ checks[$0].position }).min() else { return false }
            var position = start
            while position < min(end, start + Self.portion),
                let block = try file.read(upTo: min(1 << 20, end - position), at: position)
            {
                for index in missing where checks[index].position == position { checks[index].update(block) }
                position += block.readableBytes
            }
            return position > start
        }
    }

    /// Compares the digests of the content of a response, which is in the file up to a position,
    /// and of the whole file if it is complete.
    ///
    /// - Throws: ``NetworkingError/Code/digestMismatch``.
    func verify(_ file: SystemFile, upTo end: Int, isWhole: Bool, _ context: ExchangeContext) async throws {
        try await catchUp(file, to: end, context) { isWhole || $0 == .content }
        try verify(upTo: end, isWhole: isWhole)
    }

    /// Whether a file, which no download writes to, has the digests.
    fileprivate func match(_ file: SystemFile) async throws -> Bool {
        let end = try await BlockingThreads.files.run { try file.size() }
        while try await BlockingThreads.files.run({ try self.readNext(of: file, to: end) { _ in true } }) {}
        do {
            try verify(upTo: end, isWhole: true)
            return true
        } catch let error as NetworkingError where error.code == .digestMismatch {
            return false
        } catch {
            throw error
        }
    }

    /// Compares the digests of all that was written to a pipe.
    ///
    /// - Throws: ``NetworkingError/Code/digestMismatch``.
    func verify() throws {
        try verify(upTo: nil, isWhole: true)
    }

    private func verify(upTo end: Int?, isWhole: Bool) throws {
        let failed = checks.withLock { checks in
            defer { checks.removeAll { $0.subject == .content } }
            return checks.first { check in
                (isWhole || check.subject == .content)
                    && (check.position != end ?? check.position || check.hasher.digest != check.expected)
            }
        }
        guard let failed else { return }
        throw NetworkingError(
            .digestMismatch,
            """
            \(failed.subject.rawValue) names another \(failed.algorithm.rawValue) digest than that of the bytes that \
            were received.
            """
        )
    }
}

extension Checksum {
    /// Whether a file has this digest.
    ///
    /// - Throws: ``NetworkingError/Code/invalidRequest`` for a checksum that is none, an error of
    ///   the disk, and `CancellationError`.
    package func matches(fileAt path: String) async throws -> Bool {
        let digests = try DownloadDigests(self)
        return try await digests.match(try await BlockingThreads.files.run { try SystemFile(reading: path) })
    }
}
