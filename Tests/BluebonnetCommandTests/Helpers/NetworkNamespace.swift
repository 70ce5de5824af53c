import Foundation
import Testing

/// A network of its own for a test, which is made by root: interfaces of the kind veth, each of
/// which leads to a place outside of it that does not reply.
final class NetworkNamespace: Sendable {
    let name: String
    /// The other namespace, with the other ends.
    let outside: String

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Whether namespaces can be made here.
    static let isPossible: Bool = {
        let name = "bb" + UUID().uuidString.prefix(8)
        for command in ["add", "delete"] {
            let process = ipProcess("netns \(command) \(name)")
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { return false }
        }
        return true
    }()

    /// Makes a namespace with the interfaces `v0`, `v1` and so on, which are up, with the addresses
    /// 10.9.0.1/24, 10.9.1.1/24 and so on, and their other ends with .2. All have a carrier, for
    /// which the kernel may take a second.
    init(interfaces: Int) async throws {
        name = "bb" + UUID().uuidString.prefix(8) + "i"
        outside = name.dropLast() + "o"
        try await Self.ip("netns add \(name)")
        try await Self.ip("netns add \(outside)")
        try await ip("link set lo up")
        for index in 0..<interfaces {
            try await ip("link add v\(index) type veth peer name v\(index) netns \(outside)")
            try await Self.ip("-n \(outside) address add 10.9.\(index).2/24 dev v\(index)")
            try await Self.ip("-n \(outside) link set v\(index) up")
            try await ip("address add 10.9.\(index).1/24 dev v\(index)")
            try await ip("link set v\(index) up")
        }
        for index in 0..<interfaces {
            while try await !Self.text(of: "-n \(name) -o link show v\(index)").contains("state UP") {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: files)
        for namespace in [name, outside] { try? Self.ipProcess("netns delete \(namespace)").run() }
    }

    /// The files that processes in the namespace see in place of those of `/etc`.
    private var files: URL { URL(filePath: "/etc/netns/\(name)") }

    /// Replaces a file of `/etc` for the processes that are started in the namespace from now on.
    func replace(_ file: String, with text: String) throws {
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: files.appending(path: file))
    }

    /// Runs `ip` in the namespace, with arguments that are parted by spaces.
    func ip(_ arguments: String) async throws {
        try await Self.ip("-n \(name) \(arguments)")
    }

    private static func ip(_ arguments: String) async throws {
        let process = ipProcess(arguments)
        let errors = Pipe()
        process.standardError = errors
        guard try await process.start().value == 0 else {
            throw Failure(description: "ip \(arguments): \(await errors.nextText())")
        }
    }

    /// What `ip` prints.
    private static func text(of arguments: String) async throws -> String {
        let process = ipProcess(arguments)
        let output = Pipe()
        process.standardOutput = output
        let status = try process.start()
        var text = ""
        while case let more = await output.nextText(), !more.isEmpty { text += more }
        guard await status.value == 0 else { throw Failure(description: "ip \(arguments) fails") }
        return text
    }

    private static func ipProcess(_ arguments: String) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments.split(separator: " ").map(String.init)
        process.standardOutput = FileHandle.nullDevice
        return process
    }

    private static var program: String {
        ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"].first(where: FileManager.default.isExecutableFile) ?? "/sbin/ip"
    }

    /// A process that runs a program in the namespace with the other ends, and has not been
    /// started.
    func outsideProcess(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: Self.program)
        process.arguments = ["netns", "exec", outside] + arguments
        return process
    }

    /// A process that runs the command in the namespace, and has not been started.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the command.
    ///   - program: A program that runs it, with the arguments before it. Default: none.
    /// - Returns: The process.
    func process(_ arguments: [String], through program: [String] = []) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: Self.program)
        process.arguments = ["netns", "exec", name] + program + [Command.executable.path] + arguments
        return process
    }

    /// A process that prints what the kernel tells of links, and has not been started.
    func linkMonitor() -> Process { Self.ipProcess("-n \(name) -o monitor link") }
}

/// A process that ends with its owner.
final class NamespaceProcess: Sendable {
    private let process: Process
    private let output = Pipe()

    /// Starts the process.
    init(_ process: Process, errors: Bool = false) throws {
        self.process = process
        process.standardOutput = errors ? FileHandle.nullDevice : output
        process.standardError = errors ? output : FileHandle.nullDevice
        try process.run()
    }

    deinit {
        stop()
    }

    var identifier: Int32 { process.processIdentifier }

    /// Ends the process, which may have been started by a thread that blocks all signals: then it
    /// blocks them, too, but for this one.
    func stop() {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// The next text that it writes. Empty at its end, which comes when the task is cancelled.
    func nextText() async -> String {
        await withTaskCancellationHandler {
            await output.nextText()
        } onCancel: {
            stop()
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// Runs tests where network namespaces can be made; with `BLUEBONNET_INTEROP_REQUIRED=1`
    /// everywhere.
    static var needsNamespaces: Self {
        let isRequired = ProcessInfo.processInfo.environment["BLUEBONNET_INTEROP_REQUIRED"] == "1"
        return .enabled(
            if: isRequired || NetworkNamespace.isPossible,
            "network namespaces cannot be made here: they need root, and ip of iproute2"
        )
    }
}
