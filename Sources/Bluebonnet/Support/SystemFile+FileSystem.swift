import NIOCore

extension SystemFile {
    /// File systems that keep what they hold in this machine, or in its memory: reading what is in
    /// the page cache does not wait.
    private static let localFileSystems: Set<Substring> = [
        "bcachefs", "btrfs", "erofs", "exfat", "ext2", "ext3", "ext4", "f2fs", "iso9660", "jfs", "nilfs2", "ntfs3",
        "overlay",
        "ramfs", "reiserfs", "squashfs", "tmpfs", "vfat", "xfs", "zfs",
    ]

    /// Whether the file is known to be on a file system of this machine.
    ///
    /// `fstatfs(2)` would tell too, but cannot be called from Swift.
    var isLocal: Bool {
        guard let status = Self.text(of: "/proc/self/fdinfo/\(descriptor)"),
            let mounts = Self.text(of: "/proc/self/mountinfo"),
            let type = Self.fileSystem(ofDescriptor: status, mounts: mounts)
        else { return false }
        return Self.localFileSystems.contains(type)
    }

    /// The type of the file system (proc(5)): a descriptor has the number of its mount, and a mount
    /// its type after a dash.
    static func fileSystem(ofDescriptor status: String, mounts: String) -> Substring? {
        let numbers = status.split(separator: "\n").lazy.map { $0.split { $0 == ":" || $0 == "\t" } }
        guard let number = numbers.first(where: { $0.first == "mnt_id" })?.last else { return nil }
        for mount in mounts.split(separator: "\n") {
            let fields = mount.split(separator: " ")
            guard fields.first == number, let dash = fields.dropFirst(6).firstIndex(of: "-") else { continue }
            return fields.dropFirst(dash + 1).first
        }
        return nil
    }

    /// The present start of this machine, which has another identifier after each start; nil where
    /// the system does not tell (random(4)).
    static let currentBoot: String? = text(of: "/proc/sys/kernel/random/boot_id").flatMap { text in
        text.split(separator: "\n").first.map(String.init)
    }

    /// The text of a file of the kernel, whose size is not known.
    private static func text(of path: String) -> String? {
        guard let file = try? SystemFile(reading: path) else { return nil }
        var text = ByteBuffer()
        while var block = try? file.read(upTo: 1 << 16) { text.writeBuffer(&block) }
        return String(buffer: text)
    }
}
