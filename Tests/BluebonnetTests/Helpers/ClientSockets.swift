import Foundation
import LocalServer
import NIOCore

@testable import Bluebonnet

/// A state of a TCP socket, as the table of the system writes it.
enum SocketState: Substring {
    case established = "01"
    case connecting = "02"
}

extension FaultServer {
    /// The number of this process's sockets in a state that lead to the server; proc(5).
    ///
    /// A child process that is about to begin has all sockets for a moment, and a closed one stays
    /// in the table of the system as long: only those that are open in this process count.
    func clientSockets(_ state: SocketState) -> Int {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        let open = descriptors.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        guard let file = try? SystemFile(reading: "/proc/net/tcp") else { return -1 }
        var table = ""
        // Each read returns at most one page, which Foundation takes for the whole file.
        while let block = try? file.read(upTo: 1 << 16) { table += String(buffer: block) }
        let digits = String(port, radix: 16, uppercase: true)
        let remote = ":" + String(repeating: "0", count: 4 - digits.count) + digits
        return table.split(separator: "\n").count { line in
            let columns = line.split(separator: " ")
            // The third is the remote address, the fourth the state, the tenth the inode.
            return columns.count > 9 && columns[2].hasSuffix(remote) && columns[3] == state.rawValue
                && open.contains("socket:[\(columns[9])]")
        }
    }
}
