#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The keyring of the desktop (freedesktop.org's Secret Service) through libsecret, which is loaded
/// when it is needed first: programs that do not use it need not have it.
///
/// Its calls block: a keyring may ask a person for its password.
struct SecretService: Sendable {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// What a secret is found by.
    typealias Attributes = [(name: String, value: String)]

    private typealias Pointer = UnsafeMutableRawPointer
    private typealias Text = UnsafePointer<CChar>
    /// Where a function puts its `GError`.
    private typealias Errors = UnsafeMutablePointer<Pointer?>
    /// The place of the message in a `GError`, behind two numbers of 32 bits.
    private static let messageOffset = 8

    /// The functions of libsecret and of GLib that are used. They are never unloaded.
    ///
    /// `@unchecked Sendable`, because they are the addresses of code, which threads share.
    @safe private struct Library: @unchecked Sendable {
        let newTable: @convention(c) (Pointer?, Pointer?) -> Pointer?
        let insert: @convention(c) (Pointer?, Pointer?, Pointer?) -> CInt
        let releaseTable: @convention(c) (Pointer?) -> Void
        let hash: Pointer
        let isEqual: Pointer
        let freeError: @convention(c) (Pointer?) -> Void
        let newSchema: @convention(c) (Text?, CInt, Pointer?) -> Pointer?
        let releaseSchema: @convention(c) (Pointer?) -> Void
        let store: @convention(c) (Pointer?, Pointer?, Text?, Text?, Text?, Pointer?, Errors?) -> CInt
        let lookup: @convention(c) (Pointer?, Pointer?, Pointer?, Errors?) -> UnsafeMutablePointer<CChar>?
        let clear: @convention(c) (Pointer?, Pointer?, Pointer?, Errors?) -> CInt
        let free: @convention(c) (UnsafeMutablePointer<CChar>?) -> Void

        init?() {
            // It brings GLib with it.
            guard let library = unsafe dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_GLOBAL) else { return nil }
            func symbol(_ name: String) -> Pointer? { unsafe dlsym(library, name) }
            guard let newTable = unsafe symbol("g_hash_table_new"), let insert = unsafe symbol("g_hash_table_insert"),
                let releaseTable = unsafe symbol("g_hash_table_unref"), let hash = unsafe symbol("g_str_hash"),
                let isEqual = unsafe symbol("g_str_equal"), let freeError = unsafe symbol("g_error_free"),
                let newSchema = unsafe symbol("secret_schema_newv"),
                let releaseSchema = unsafe symbol("secret_schema_unref"),
                let store = unsafe symbol("secret_password_storev_sync"),
                let lookup = unsafe symbol("secret_password_lookupv_sync"),
                let clear = unsafe symbol("secret_password_clearv_sync"),
                let free = unsafe symbol("secret_password_free")
            else { return nil }
            // The types are those of the headers of GLib 2 and libsecret 1.
            unsafe self.newTable = unsafeBitCast(newTable, to: (@convention(c) (Pointer?, Pointer?) -> Pointer?).self)
            unsafe self.insert = unsafeBitCast(insert, to: (@convention(c) (Pointer?, Pointer?, Pointer?) -> CInt).self)
            unsafe self.releaseTable = unsafeBitCast(releaseTable, to: (@convention(c) (Pointer?) -> Void).self)
            unsafe self.hash = hash
            unsafe self.isEqual = isEqual
            unsafe self.freeError = unsafeBitCast(
                freeError,
                to: (@convention(c) (Pointer?) -> Void).self
            )
            unsafe self.newSchema = unsafeBitCast(
                newSchema,
                to: (@convention(c) (Text?, CInt, Pointer?) -> Pointer?).self
            )
            unsafe self.releaseSchema = unsafeBitCast(releaseSchema, to: (@convention(c) (Pointer?) -> Void).self)
            unsafe self.store = unsafeBitCast(
                store,
                to: (@convention(c) (Pointer?, Pointer?, Text?, Text?, Text?, Pointer?, Errors?) -> CInt).self
            )
            unsafe self.lookup = unsafeBitCast(
                lookup,
                to: (@convention(c) (Pointer?, Pointer?, Pointer?, Errors?) -> UnsafeMutablePointer<CChar>?).self
            )
            unsafe self.clear = unsafeBitCast(
                clear,
                to: (@convention(c) (Pointer?, Pointer?, Pointer?, Errors?) -> CInt).self
            )
            unsafe self.free = unsafeBitCast(free, to: (@convention(c) (UnsafeMutablePointer<CChar>?) -> Void).self)
        }
    }

    private static let library = Library()

    private let library: Library
    /// The name of the kind of secrets.
    let schema: String

    /// - Throws: ``Failure`` where libsecret is not installed.
    init(schema: String) throws(Failure) {
        guard let library = Self.library else { throw Failure(description: "libsecret is not installed") }
        self.library = library
        self.schema = schema
    }

    /// The secret with exactly these attributes; nil for none.
    func secret(_ attributes: Attributes) throws(Failure) -> String? {
        try unsafe call(attributes) { schema, table, errors in
            guard let secret = unsafe library.lookup(schema, table, nil, errors) else { return nil }
            defer { unsafe library.free(secret) }
            return unsafe String(validatingCString: secret)
        }
    }

    /// Stores a secret in place of that with the same attributes. The label is what people see.
    func store(_ secret: String, _ attributes: Attributes, label: String) throws(Failure) {
        _ = try unsafe call(attributes) { schema, table, errors in
            // The collection "default".
            unsafe library.store(schema, table, "default", label, secret, nil, errors)
        }
    }

    /// Removes the secret with these attributes, if there is one.
    func remove(_ attributes: Attributes) throws(Failure) {
        _ = try unsafe call(attributes) { schema, table, errors in unsafe library.clear(schema, table, nil, errors) }
    }

    private func call<Output>(
        _ attributes: Attributes,
        _ body: (_ schema: Pointer?, _ table: Pointer?, Errors) -> Output
    ) throws(Failure) -> Output {
        // The tables hold these pointers and copy nothing.
        let texts = unsafe attributes.map { unsafe (name: strdup($0.name), value: strdup($0.value)) }
        defer {
            unsafe texts.forEach {
                unsafe free($0.name)
                unsafe free($0.value)
            }
        }
        let types = unsafe library.newTable(library.hash, library.isEqual)
        let values = unsafe library.newTable(library.hash, library.isEqual)
        defer {
            unsafe library.releaseTable(types)
            unsafe library.releaseTable(values)
        }
        unsafe texts.forEach {
            // SECRET_SCHEMA_ATTRIBUTE_STRING is 0.
            _ = unsafe library.insert(types, $0.name, nil)
            _ = unsafe library.insert(values, $0.name, $0.value)
        }
        let schema = unsafe library.newSchema(schema, 0, types)
        defer { unsafe library.releaseSchema(schema) }
        var error: Pointer?
        let output = unsafe body(schema, values, &error)
        guard let error = unsafe error else { return output }
        defer { unsafe library.freeError(error) }
        let message = unsafe error.load(fromByteOffset: Self.messageOffset, as: Text?.self)
        throw Failure(description: unsafe message.map { unsafe String(cString: $0) } ?? "it gives no reason")
    }
}
