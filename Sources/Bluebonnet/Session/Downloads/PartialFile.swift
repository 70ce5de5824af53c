import Crypto
import FoundationEssentials
import NIOCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file of an unfinished download: beside its target, under a name that can be foreseen, so
/// that at most one is left behind; locked, so that two downloads never write to one; with a record
/// of what it belongs to, where the file system has extended attributes. Its size is the number of
/// bytes received.
///
/// Every function blocks: call it on a thread that may. The record and its token can be read on any
/// thread.
final class PartialFile: Sendable {
    /// What the name of the target gets.
    static let suffix = ".bluebonnet"

    private struct State {
        /// What the file belongs to; nil before that is known.
        var record: DownloadRecord?
        /// Whether the file says so too.
        var isRecorded = false
        /// Whether the record is to change no more.
        var isOver = false
    }

    let file: SystemFile
    /// Locked for moments only, also by threads that may not block.
    private let state: Mutex<State>
    /// Whether the file had no room for the whole record. Locked while the record is written, which
    /// may take as long as the disk works: one change comes after the other.
    private let isShortened = Mutex(false)
    /// The failure of the disk: the system says so once, and later that all is well. Locked while
    /// the disk works, which may take seconds.
    private let disk = Mutex<SystemFile.Failure?>(nil)
    private let isSecuring = Atomic(false)

    private init(_ file: SystemFile, _ record: DownloadRecord?, isRecorded: Bool) {
        self.file = file
        state = Mutex(State(record: record, isRecorded: isRecorded))
    }

    /// The path of the partial file of a target.
    static func path(for target: String) -> String {
        let folder = SystemFile.folder(of: target)
        let name = String(target.dropFirst(folder.count))
        let most = FileName.longestOfSystem - suffix.utf8.count
        guard name.utf8.count > most else { return target + suffix }
        // Of two long names with one beginning each needs a file of its own.
        let digest = SHA256.hash(data: Data(name.utf8)).prefix(4)
        let end = "~" + digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return folder + FileName.shortened(name, to: most - end.utf8.count) + end + suffix
    }

    // MARK: Taking it

    /// Takes the file of a target, or makes it. ``begin(_:)`` empties it.
    ///
    /// - Parameters:
    ///   - target: The target. Where its name may be changed, the file of another URL is left
    ///     alone.
    ///   - url: The URL of the download.
    /// - Throws: ``NetworkingError/Code/outputFailed`` when another download has it, and for a file
    ///   of that name that is not one of a download.
    convenience init(for target: Target, from url: URL) throws {
        var number = 1
        let resource = target.options.contains(.uniqueName) ? DownloadRecord.digest(of: url) : nil
        while true {
            do {
                let file = try Self.owned(Self.path(for: target.numbered(number)), by: resource)
                self.init(file, nil, isRecorded: false)
                return
            } catch let error as NetworkingError {
                // This one gets another name in the end, too.
                guard target.options.contains(.uniqueName), number < Target.mostNumbers else { throw error }
                number += 1
            }
        }
    }

    /// Opens a partial file, or makes it; with a resource only one that does not hold bytes of
    /// another.
    private static func owned(_ path: String, by resource: String?) throws -> SystemFile {
        let file = try exclusive(path)
        // An empty file has nothing to lose, and one whose process ended before it wrote the record
        // is empty.
        guard try file.size() > 0 else { return file }
        do {
            if try file.attribute(DownloadRecord.attribute) != nil {
                guard let resource, let record = try DownloadRecord(of: file), record.resource != resource else {
                    return file
                }
                throw NetworkingError(.outputFailed, "The file \(path) is of a download from another URL.")
            }
        } catch let failure as SystemFile.Failure where failure.isUnsupported {
            // Nobody can tell.
            return file
        }
        throw NetworkingError(
            .outputFailed,
            "The file \(path) has the name of a partial file, and was not made by a download: remove or rename it."
        )
    }

    private static func exclusive(_ path: String) throws -> SystemFile {
        do {
            return try SystemFile.exclusive(path)
        } catch let failure as SystemFile.Failure where failure.code == EWOULDBLOCK {
            throw NetworkingError(.outputFailed, "Another download writes to \(path).", underlying: failure)
        }
    }

    /// Takes the file that a download is to continue, as far as its bytes are known; nil where
    /// there is none, and where it belongs to another download by now.
    convenience init?(continuing resumeData: ResumeData) throws {
        let path = try SystemFile.checked(resumeData.partialFile.path(percentEncoded: false))
        guard unsafe access(path, F_OK) == 0 else { return nil }
        let file = try Self.exclusive(path)
        let size = try file.size()
        let found: DownloadRecord?
        do {
            found = try DownloadRecord(of: file)
        } catch let failure as SystemFile.Failure where failure.isUnsupported {
            self.init(file, DownloadRecord(resumeData), isRecorded: false)
            try file.truncate(to: min(resumeData.byteCount, size))
            return
        }
        // Resume data of a file that had no record, because it was elsewhere, has no token.
        guard found?.token == resumeData.token else { return nil }
        var record = found ?? DownloadRecord(resumeData)
        // A shortened record has neither.
        if record.validator == nil { record.fields = resumeData.fields }
        record.validator = resumeData.validator
        if let missing = record.missing(of: size) {
            if record.boot != SystemFile.currentBoot { record.missingOnDisk = missing }
            (record.missing, record.boot) = (missing, SystemFile.currentBoot)
            self.init(file, record, isRecorded: false)
            try note { _ in record }
            return
        }
        let count = min(resumeData.byteCount, found?.trusted(of: size) ?? size)
        self.init(file, record, isRecorded: false)
        try `continue`(at: count, record)
    }

    // MARK: The record

    /// What the file belongs to; nil before that is known.
    var record: DownloadRecord? { state.withLock { $0.record } }

    /// The token of the record; nil where the file has none.
    var token: String? { state.withLock { $0.isRecorded ? $0.record?.token : nil } }

    /// Empties the file, and notes what it will belong to. What was there is never under the new
    /// record, also when the process ends in between.
    func begin(_ record: DownloadRecord) throws {
        try file.truncate(to: 0)
        do {
            try note { _ in record }
        } catch {
            remove()
            throw error
        }
    }

    /// Cuts the file, and notes what is known of it now.
    func `continue`(at position: Int, _ record: DownloadRecord) throws {
        try file.truncate(to: position)
        var record = record
        // What was trusted of the time before the machine was started is on the disk.
        if record.boot != SystemFile.currentBoot { record.secured = position }
        record.secured = min(record.secured, position)
        record.boot = SystemFile.currentBoot
        try note { [record] state in state.record == record && state.isRecorded ? nil : record }
    }

    /// Notes the URL from which the file is continued.
    ///
    /// - Throws: ``SystemFile/Failure`` when the record cannot be written.
    func note(_ url: URL) throws {
        let resource = DownloadRecord.digest(of: url)
        try note { state in
            guard var record = state.record, record.resource != resource else { return nil }
            record.resource = resource
            return record
        }
    }

    /// Notes what is missing of a file in parts, unless less was missing before.
    func note(missing: [Range<Int>]) {
        // On a full disk the last one stays, which promises less.
        try? note { state in
            guard !state.isOver, var record = state.record else { return nil }
            record.note(missing: missing)
            return record == state.record ? nil : record
        }
    }

    /// Changes the record, and has the file say so.
    ///
    /// - Parameter next: Returns the new record; nil when the file is to stay as it is.
    /// - Throws: ``SystemFile/Failure`` when the record cannot be written.
    private func note(_ next: (inout State) -> DownloadRecord?) throws {
        try isShortened.withLock { isShortened in
            let record = state.withLock { state in
                let record = next(&state)
                if let record { (state.record, state.isRecorded) = (record, true) }
                return record
            }
            guard let record else { return }
            do {
                if !isShortened {
                    return try file.setAttribute(DownloadRecord.attribute, to: record.encoded)
                }
            } catch let failure as SystemFile.Failure where failure.isUnsupported {
                return state.withLock { $0.isRecorded = false }
            } catch let failure as SystemFile.Failure where [E2BIG, ERANGE, ENOSPC].contains(failure.code) {
                // An entity tag may have any length; ext4 calls that no space.
                isShortened = true
            }
            try file.setAttribute(DownloadRecord.attribute, to: record.shortened.encoded)
        }
    }

    /// Has the record change no more. Returns when it is not being written.
    private func end() {
        isShortened.withLock { _ in state.withLock { $0.isOver = true } }
    }

    // MARK: The disk

    /// How much of the file had been written.
    enum Extent {
        /// So many bytes from the beginning.
        case beginning(Int)
        /// All but some parts.
        case all(but: [Range<Int>])
    }

    /// Has a thread force to the disk what was written so far, and note how much that is.
    func secureLater(_ extent: Extent) {
        guard !isSecuring.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let token = record?.token
        BlockingThreads.files.submit { [self] unavailable in
            defer { isSecuring.store(false, ordering: .releasing) }
            // What cannot be noted now is noted the next time, or at the end.
            if unavailable == nil { try? secure(extent, of: token) }
        }
    }

    /// Forces what was written to the disk, and notes how much that is.
    ///
    /// - Parameters:
    ///   - extent: What had been written before.
    ///   - token: The download that they belong to; nothing is noted for another one.
    /// - Throws: ``SystemFile/Failure`` when the disk does not take them.
    func secure(_ extent: Extent, of token: String?) throws {
        let isMeant = state.withLock { !$0.isOver && $0.record?.token == token }
        guard isMeant else { return }
        try synchronize()
        // On a full disk the last one stays, which promises less.
        try? note { state in
            guard !state.isOver, var record = state.record, record.token == token else { return nil }
            switch extent {
            case .beginning(let count): record.secured = max(record.secured, count)
            case .all(let missing): record.note(missing: missing, isOnDisk: true)
            }
            guard record != state.record else { return nil }
            guard state.isRecorded else {
                state.record = record
                return nil
            }
            return record
        }
    }

    private func synchronize() throws {
        try disk.withLock { known in
            if let known { throw known }
            do {
                try file.synchronize()
            } catch let failure as SystemFile.Failure {
                known = failure
                throw failure
            }
        }
    }

    /// Checks that the disk has room for all that is missing of a file in parts.
    ///
    /// - Throws: ``SystemFile/Failure`` with ENOSPC where it has not.
    func checkRoom() throws {
        guard let missing = record?.missing, let first = missing.first else { return }
        // As for a file that comes from its beginning to its end: where nothing can be reserved,
        // the room may not be what it seems.
        let piece = first.lowerBound..<first.lowerBound + min(first.count, DownloadSegments.firstPiece)
        guard try file.reserve(piece), let free = file.freeSpace else { return }
        guard DownloadSegments.count(missing) - piece.count <= free else {
            throw SystemFile.Failure(path: file.path, code: ENOSPC)
        }
    }

    /// The number of bytes that are there.
    func count() throws -> Int {
        guard let record, let missing = record.missing, let length = record.length else { return try file.size() }
        return length - DownloadSegments.count(missing)
    }

    /// The number of bytes that are there from the beginning on.
    func beginning() throws -> Int {
        guard let record, let missing = record.missing else { return try file.size() }
        return missing.first?.lowerBound ?? record.length ?? 0
    }

    // MARK: The end

    /// Keeps the file for a later download, cut to its bytes: that also gives back what was
    /// reserved. The disk has it then, with its name and its record; where the disk does not take
    /// it, only what it took before is kept.
    ///
    /// - Returns: The bytes that are kept.
    func keep() throws -> Int {
        defer { release() }
        let extent: Extent
        if let missing = record?.missing {
            extent = .all(but: missing)
            try file.truncate(to: file.size())
        } else {
            let count = try file.size()
            extent = .beginning(count)
            try file.truncate(to: count)
        }
        do {
            try secure(extent, of: record?.token)
        } catch {
            return try keepSecured(error)
        }
        // Without the record, what was forced to the disk before is still trusted.
        try? synchronize()
        try? SystemFile.synchronizeFolder(of: file.path)
        return try count()
    }

    /// Keeps what the disk took before it failed.
    private func keepSecured(_ error: any Error) throws -> Int {
        guard let record else { throw error }
        if record.missing != nil {
            guard let missing = record.missingOnDisk else { throw error }
            try? note { _ in
                var record = record
                record.missing = missing
                return record
            }
            return try count()
        }
        let count = try min(record.secured, file.size())
        guard count > 0 else { throw error }
        try file.truncate(to: count)
        return count
    }

    /// Removes the file.
    func remove() {
        end()
        // It may have its final name already, or have been replaced by somebody.
        if file.hasItsName { file.remove() }
        file.release()
    }

    /// Lets another download have the file, before the last reference to it is gone.
    func release() {
        end()
        file.release()
    }

    /// Gives the file the name of its target.
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - copy: The copy of ``copy(for:)`` which gets the name, where the file cannot.
    /// - Returns: The path it has now.
    /// - Throws: ``NetworkingError/Code/outputFailed`` when it lost its own name: what has
    ///   that name now is not what was received. ``SystemFile/Failure`` with EXDEV when the target
    ///   is on another disk, as that of an earlier download may be: then nothing has changed.
    func commit(to target: Target, _ copy: SystemFile? = nil) throws -> String {
        try synchronize()
        end()
        guard file.hasItsName else {
            throw NetworkingError(.outputFailed, "\(file.path) was removed or replaced during the download.")
        }
        let path = try Self.move(copy ?? file, to: target)
        // Not before: without it, what a crash leaves behind would be nobody's. A copy has none,
        // and this file keeps it as long as it is there.
        if copy == nil { file.removeAttribute(DownloadRecord.attribute) }
        try SystemFile.synchronizeFolder(of: path)
        if copy != nil { file.remove() }
        return path
    }

    /// A copy of the file on the disk of a target, which has it; under a name for the meantime.
    func copy(for target: Target) throws -> SystemFile {
        let copy = try AtomicFile(for: target.path)
        do {
            var position = 0
            while let block = try file.read(upTo: 1 << 20, at: position) {
                try copy.part.write([block])
                position += block.readableBytes
            }
            try copy.part.synchronize()
            return copy.part
        } catch {
            copy.discard()
            throw error
        }
    }

    private static func move(_ file: SystemFile, to target: Target) throws -> String {
        guard target.options.contains(.uniqueName) else {
            let replaces = !target.options.contains(.withoutOverwriting)
            try AtomicFile(part: file, destination: target.path).commit(replaces: replaces)
            return target.path
        }
        var number = 1
        while true {
            do {
                let path = target.numbered(number)
                try AtomicFile(part: file, destination: path).commit(replaces: false)
                return path
            } catch let failure as SystemFile.Failure where failure.code == EEXIST && number < Target.mostNumbers {
                number += 1
            }
        }
    }
}

extension SystemFile.Failure {
    /// Whether a file cannot be moved, because its name is to be on another disk.
    var isBetweenDisks: Bool { code == EXDEV }
}
