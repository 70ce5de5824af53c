#if Stores
    import Foundation
    import Testing

    /// Where the program works. Its file `plan` has the URL of the server in its first line, and
    /// then the name and the kind of each transfer.
    private let powerCutFolder = ProcessInfo.processInfo.environment["BLUEBONNET_POWER_CUTS"]

    /// The program whose system calls `scripts/power-cuts` records, and which it starts again on
    /// what a loss of power can have left. Without that script there is nothing to do here.
    @Suite(.enabled(if: powerCutFolder != nil))
    struct PowerCutTests {
        @Test func `a program goes on with its transfers until all are over`() async throws {
            let folder = URL(filePath: try #require(powerCutFolder))
            let plan = try String(contentsOf: folder.appending(path: "plan"), encoding: .utf8)
            var lines = plan.split(separator: "\n").map(String.init)
            let url = lines.removeFirst()
            let items = lines.map { line in
                let words = line.split(separator: " ")
                return TransferProgram.Item(
                    name: String(words[0]),
                    isNamedByServer: words[1] == "named",
                    isUpload: words[1] == "upload"
                )
            }
            try await TransferProgram(folder: folder, baseURL: url, items: items).run()
            try Data().write(to: folder.appending(path: "done"))
        }
    }
#endif
