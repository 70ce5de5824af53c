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
        guard let namespace = try? NetworkNamespace(interfaces: 0) else { return false }
        withExtendedLifetime(namespace) {}
        return true
    }()

    /// Makes a namespace with the interfaces `v0`, `v1` and so on, which are up, with the addresses
    /// 10.9.0.1/24, 10.9.1.1/24 and so on, and their other ends with .2.
    init(interfaces: Int) throws {
        let number = UInt32.random(in: .min ... .max)
        name = String(format: "bb%08xi", number)
        outside = String(format: "bb%08xo", number)
        try Self.ip("netns add \(name)")
        try Self.ip("netns add \(outside)")
        try ip("link set lo up")
        for index in 0..<interfaces {
            try ip("link add v\(index) type veth peer name v\(index) netns \(outside)")
            try Self.ip("-n \(outside) address add 10.9.\(index).2/24 dev v\(index)")
            try Self.ip("-n \(outside) link set v\(index) up")
            try ip("address add 10.9.\(index).1/24 dev v\(index)")
            try ip("link set v\(index) up")
        }
    }

    deinit {
        for namespace in [name, outside] { try? Self.ip("netns delete \(namespace)") }
    }

    /// Runs `ip` in the namespace, with arguments that are parted by spaces.
    func ip(_ arguments: String) throws {
        try Self.ip("-n \(name) \(arguments)")
    }

    private static func ip(_ arguments: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments.split(separator: " ").map(String.init)
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let text = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
            throw Failure(description: "ip \(arguments): \(text)")
        }
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
    func process(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: Self.program)
        process.arguments = ["netns", "exec", name, Command.executable.path] + arguments
        return process
    }
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

    /// The next text that it writes. Empty at its end, which comes when the Swift task is cancelled.
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
