/// The certificates as PEM files in a directory, for programs and options that need paths.
///
/// For every identity there is `NAME.pem` (its chain) and `NAME.key`; the names are those of the
/// properties of ``TestCertificates``.
package struct TestCertificateFiles: Sendable {
    /// The path of the directory.
    package let directory: String

    /// The path of the trusted root's certificate.
    package var authority: String { path("authority.pem") }

    /// The path of one of the files, such as `localhost.pem` or `localhost.key`.
    package func path(_ name: String) -> String {
        directory + "/" + name
    }
}
