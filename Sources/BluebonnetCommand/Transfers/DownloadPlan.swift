import Bluebonnet

/// The files of a call of `download`, each with its session. URLs with the same settings share one.
struct DownloadPlan {
    private(set) var items: [DownloadItem] = []
    /// The session of each item.
    private(set) var sessions: [SessionManager] = []
    /// The cookies that are to be saved at the end.
    private(set) var jars: [CookieJar] = []
    /// The caches of the sessions.
    private(set) var caches: [HTTPCache?] = []

    /// URLs with the same settings.
    private struct Group {
        /// The command with these settings.
        var command: DownloadCommand
        var numbers: [Int] = []
    }

    /// What sessions with the same options share.
    private struct Shared {
        var jars: [[String?]: CookieJar] = [:]
        /// A password is asked for once.
        var credentials: [[String?]: Credentials] = [:]
    }

    /// - Parameters:
    ///   - entries: The files.
    ///   - command: The command as its arguments say.
    ///   - observation: What observes the tasks; nil for nothing.
    /// - Throws: ``CommandFailure``.
    init(
        _ entries: [DownloadList.Entry],
        _ command: DownloadCommand,
        _ observation: Observation?
    ) throws(CommandFailure) {
        var places: [(item: DownloadItem, session: SessionManager)?] = Array(repeating: nil, count: entries.count)
        var shared = Shared()
        for group in try Self.groups(entries, command) {
            let entries = group.numbers.map { entries[$0] }
            let items = try Self.items(entries, group.command, &shared)
            var configuration = try Self.configuration(of: items, group.command, &shared)
            if let observation { configuration.observers = [observation] }
            let session = SessionManager(configuration: configuration)
            for (number, item) in zip(group.numbers, items) { places[number] = (item, session) }
            caches.append(configuration.cache)
        }
        items = places.compactMap { $0?.item }
        sessions = places.compactMap { $0?.session }
        jars = Array(shared.jars.values)
    }

    private static func items(
        _ entries: [DownloadList.Entry],
        _ command: DownloadCommand,
        _ shared: inout Shared
    ) throws(CommandFailure) -> [DownloadItem] {
        let (authentication, headers) = (command.authentication, try command.transfer.headers())
        let key = authentication.auth + [authentication.bearer]
        let asked = shared.credentials[key]
        let credentials = if let asked { asked } else { try authentication.credentials() }
        shared.credentials[key] = credentials
        return try entries.map { entry throws(CommandFailure) in
            try DownloadItem(
                entry,
                in: command.options.folder,
                headers: headers,
                credentials: credentials,
                usesDigest: authentication.usesDigest,
                sessions: command.transfer.sessions,
                segments: command.options.segments
            )
        }
    }

    private static func configuration(
        of items: [DownloadItem],
        _ command: DownloadCommand,
        _ shared: inout Shared
    ) throws(CommandFailure) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        try command.connection.apply(to: &configuration)
        try command.authentication.apply(to: &configuration)
        try command.transfer.apply(to: &configuration)
        let most = min(items.count, command.transfer.jobs) * command.options.segments
        configuration.maximumConnectionsPerHost = max(configuration.maximumConnectionsPerHost, most)
        let options = command.transfer.sessions
        let key = [options.session, options.sessionReadOnly, options.cookies.cookies]
        let jar = shared.jars[key]
        configuration.cookieJar = if let jar { jar } else { try options.jar() }
        shared.jars[key] = configuration.cookieJar
        try configuration.limit(items.map(\.request), by: options)
        return configuration
    }

    /// The files by what the configuration file says of their hosts.
    private static func groups(
        _ entries: [DownloadList.Entry],
        _ command: DownloadCommand
    ) throws(CommandFailure) -> [Group] {
        guard !command.transfer.sessions.ignoresSettings, let location = SettingsFile.location else {
            return [Group(command: command, numbers: Array(entries.indices))]
        }
        let file = try SettingsFile(location)
        // Behind the names of the program and of this command.
        let arguments = Array(CommandLine.arguments.dropFirst(2))
        var groups: [[String]: Group] = [:]
        for (number, entry) in entries.enumerated() {
            let rules = file.rules(for: entry.url) ?? []
            let hosts = rules.map(\.hosts)
            if groups[hosts] == nil {
                groups[hosts] = Group(command: try file.completed(arguments, command, with: rules))
            }
            groups[hosts]?.numbers.append(number)
        }
        return Array(groups.values)
    }
}
