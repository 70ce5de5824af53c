import Foundation
import Testing

/// A file system that only a process of this test has mounted. Nothing is mounted for others, and
/// it is gone with the process.
///
/// The process has a mount namespace of its own, and its files are found through `/proc`
/// (mount_namespaces(7), proc(5)).
final class MountedFolder {
    private let process = Process()
    let url: URL

    /// Whether this system lets its users mount something in a namespace.
    static let isPossible: Bool = {
        guard let folder = try? MountedFolder("tmpfs") else { return false }
        return FileManager.default.isWritableFile(atPath: folder.url.path)
    }()

    /// Mounts a file system of a type, with options as `mount -o` takes them.
    init(_ type: String, options: String = "rw") throws {
        let ready = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // The process ends when its input does, also when this one is killed.
        let script = "mount -t \(type) -o \(options) none /mnt && echo ready && read end"
        process.arguments = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script]
        process.standardInput = Pipe()
        process.standardOutput = ready
        process.standardError = FileHandle.nullDevice
        try process.run()
        _ = try ready.fileHandleForReading.read(upToCount: 6)
        let proc = URL(filePath: "/proc/\(process.processIdentifier)", directoryHint: .isDirectory)
        url = proc.appending(path: "root", directoryHint: .isDirectory).appending(path: "mnt")
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }
}
