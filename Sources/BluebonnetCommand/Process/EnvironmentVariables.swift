import FoundationEssentials

/// The variables of the environment, read once: Foundation makes a text of each one, every time.
enum EnvironmentVariables {
    static let all = ProcessInfo.processInfo.environment
}
