public import FoundationEssentials
import SwiftASN1

/// A certificate that a ``SecurityPolicy`` expects: that of a server or of an authority above it.
///
/// Counterpart of the elements of `pinnedCertificates` of `AFSecurityPolicy`.
public struct PinnedCertificate: Sendable, Hashable {
    /// The certificate in DER.
    public let derRepresentation: Data
    /// The pin of its key.
    public let publicKeyPin: PublicKeyPin

    /// Takes a certificate.
    ///
    /// - Parameter derRepresentation: The certificate in DER, which is what a `.cer` file holds.
    /// - Throws: ``NetworkingError/Code/invalidTrustConfiguration`` when it is not a certificate.
    ///   AFNetworking left such a pin out without a word.
    public init(derRepresentation: Data) throws(NetworkingError) {
        do {
            let fields = try CertificateFields(Array(derRepresentation))
            self.derRepresentation = derRepresentation
            publicKeyPin = PublicKeyPin(hash: fields.publicKeyHash)
        } catch {
            throw NetworkingError(
                .invalidTrustConfiguration,
                "A pinned certificate is not well-formed.",
                underlying: error
            )
        }
    }

    /// The certificates in a PEM text.
    ///
    /// - Parameter text: The text; other things in it are left out.
    /// - Returns: The certificates.
    /// - Throws: ``NetworkingError/Code/invalidTrustConfiguration`` when there is none, or one is
    ///   not well-formed.
    public static func certificates(inPEM text: String) throws(NetworkingError) -> Set<PinnedCertificate> {
        try certificates(in: Data(text.utf8), named: "the PEM text")
    }

    /// The certificates in a file, in DER (one) or PEM (any number). Reads it at once: do not call
    /// it on an event loop.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The certificates.
    /// - Throws: ``NetworkingError/Code/invalidTrustConfiguration`` when it cannot be read or holds
    ///   none.
    public static func certificates(inFile path: String) throws(NetworkingError) -> Set<PinnedCertificate> {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw NetworkingError(
                .invalidTrustConfiguration,
                "The pinned certificates in “\(path)” cannot be read.",
                underlying: error
            )
        }
        return try certificates(in: data, named: "“\(path)”")
    }

    /// The certificates in the files `*.cer`, `*.crt`, `*.der` and `*.pem` of a directory, which
    /// is the counterpart of `certificatesInBundle:`. Reads them at once.
    ///
    /// - Parameter path: The path of the directory.
    /// - Returns: The certificates; none where there is no such file.
    /// - Throws: ``NetworkingError/Code/invalidTrustConfiguration`` when it or one of the files
    ///   cannot be read.
    public static func certificates(inDirectory path: String) throws(NetworkingError) -> Set<PinnedCertificate> {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw NetworkingError(
                .invalidTrustConfiguration,
                "The directory “\(path)” with pinned certificates cannot be read.",
                underlying: error
            )
        }
        var certificates: Set<PinnedCertificate> = []
        for name in names where [".cer", ".crt", ".der", ".pem"].contains(where: name.lowercased().hasSuffix) {
            certificates.formUnion(try Self.certificates(inFile: path + "/" + name))
        }
        return certificates
    }

    private static func certificates(in data: Data, named name: String) throws(NetworkingError) -> Set<Self> {
        // DER begins with the tag of a sequence, which no text does.
        if data.first == 0x30 { return [try PinnedCertificate(derRepresentation: data)] }
        guard let text = String(data: data, encoding: .utf8),
            let documents = try? PEMDocument.parseMultiple(pemString: text)
        else { throw Self.none(in: name) }
        var certificates: Set<PinnedCertificate> = []
        for document in documents where document.discriminator == "CERTIFICATE" {
            certificates.insert(try PinnedCertificate(derRepresentation: Data(document.derBytes)))
        }
        guard !certificates.isEmpty else { throw Self.none(in: name) }
        return certificates
    }

    private static func none(in name: String) -> NetworkingError {
        NetworkingError(.invalidTrustConfiguration, "There is no certificate in \(name) to be pinned.")
    }
}
