#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Extended attributes (xattr(7)): small texts that belong to the file itself, whatever its name
/// is. They are changed in one step, and are gone with the file.
extension SystemFile {
    /// The longest value that Linux stores (XATTR_SIZE_MAX): whatever was written can be read. ext4
    /// has room for 4 KB of all attributes of a file.
    private static let longestAttribute = 65_536

    /// The value of an attribute; nil where there is none.
    ///
    /// - Throws: ``Failure``; one that ``Failure/isUnsupported`` where there are no attributes.
    func attribute(_ name: String) throws -> [UInt8]? {
        #if os(Linux)
            guard let get = unsafe fgetxattr else { throw Failure(path: path, code: ENOTSUP) }
            var value = [UInt8](repeating: 0, count: Self.longestAttribute)
            // The system writes into the array, at most as much as there is room.
            let count = unsafe value.withUnsafeMutableBytes { space in
                unsafe get(descriptor, name, space.baseAddress, space.count)
            }
            guard count >= 0 else {
                if errno == ENODATA { return nil }
                throw Failure(path: path, code: errno)
            }
            return Array(value.prefix(count))
        #else
            throw Failure(path: path, code: ENOTSUP)
        #endif
    }

    /// Sets an attribute, in place of the present value.
    ///
    /// - Throws: ``Failure``; one that ``Failure/isUnsupported`` where there are no attributes.
    func setAttribute(_ name: String, to value: [UInt8]) throws {
        #if os(Linux)
            guard let set = unsafe fsetxattr else { throw Failure(path: path, code: ENOTSUP) }
            // The bytes are only read, during the call.
            let result = unsafe value.withUnsafeBytes { bytes in
                unsafe set(descriptor, name, bytes.baseAddress, bytes.count, 0)
            }
            guard result == 0 else { throw Failure(path: path, code: errno) }
        #else
            throw Failure(path: path, code: ENOTSUP)
        #endif
    }

    /// Removes an attribute, where there is one.
    func removeAttribute(_ name: String) {
        #if os(Linux)
            if let remove = unsafe fremovexattr { _ = unsafe remove(descriptor, name) }
        #endif
    }
}

extension SystemFile.Failure {
    /// Whether the file system, or the system, has no extended attributes. Some sandboxes return
    /// EPERM for every call that they do not know.
    var isUnsupported: Bool { [ENOTSUP, EOPNOTSUPP, ENOSYS, EPERM].contains(code) }
}

#if os(Linux)
    private typealias GetAttribute =
        @convention(c) (CInt, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int
    private typealias SetAttribute =
        @convention(c) (CInt, UnsafePointer<CChar>, UnsafeRawPointer?, Int, CInt) -> CInt
    private typealias RemoveAttribute = @convention(c) (CInt, UnsafePointer<CChar>) -> CInt

    /// The calls of sys/xattr.h, which Swift does not see. The types are those of their manual
    /// pages.
    private let fgetxattr = unsafe dlsym(nil, "fgetxattr").map { unsafe unsafeBitCast($0, to: GetAttribute.self) }
    private let fsetxattr = unsafe dlsym(nil, "fsetxattr").map { unsafe unsafeBitCast($0, to: SetAttribute.self) }
    private let fremovexattr = unsafe dlsym(nil, "fremovexattr").map {
        unsafe unsafeBitCast($0, to: RemoveAttribute.self)
    }
#endif
