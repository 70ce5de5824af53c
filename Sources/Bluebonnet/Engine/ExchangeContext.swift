import NIOCore

/// What travels beside a request through interceptors and engine: the task's choices and its cancellation.
public struct ExchangeContext: Sendable {
    /// A session's configuration, made once and shared by all its contexts.
    final class Settings: Sendable {
        let configuration: SessionConfiguration

        init(_ configuration: SessionConfiguration) {
            self.configuration = configuration
        }
    }

    private final class Contents: Sendable {
        let taskIdentifier: Int
        let settings: Settings
        let deadline: NIODeadline?
        let collectsBody: Bool
        let control: TaskControl

        init(
            taskIdentifier: Int,
            settings: Settings,
            deadline: NIODeadline?,
            collectsBody: Bool,
            control: TaskControl
        ) {
            self.taskIdentifier = taskIdentifier
            self.settings = settings
            self.deadline = deadline
            self.collectsBody = collectsBody
            self.control = control
        }
    }

    /// One reference: contexts are handed from layer to layer.
    private let contents: Contents

    /// The identifier of the task, unique in its session.
    public var taskIdentifier: Int { contents.taskIdentifier }

    /// The session's configuration.
    public var configuration: SessionConfiguration { contents.settings.configuration }

    /// When the whole exchange must be over, by ``Timeouts/request``.
    public var deadline: ContinuousClock.Instant? {
        contents.deadline.map { .now + $0.since(.now()) }
    }

    /// ``deadline`` by the clock of the event loops.
    var endsAt: NIODeadline? { contents.deadline }

    /// Whether nobody looks at the head before the body is there, so that the engine may hand over both at once.
    var collectsBody: Bool { contents.collectsBody }

    var control: TaskControl { contents.control }

    /// Where single members of the configuration are read without a copy of all of it.
    var settings: Settings { contents.settings }

    /// Makes the context of a task that belongs to no session: for testing interceptors and transports alone.
    ///
    /// - Parameter configuration: The configuration to show them. Default: the default configuration.
    public init(configuration: SessionConfiguration = SessionConfiguration()) {
        self.init(taskIdentifier: 0, settings: Settings(configuration))
    }

    init(
        taskIdentifier: Int,
        settings: Settings,
        deadline: NIODeadline? = nil,
        collectsBody: Bool = false,
        control: TaskControl = TaskControl()
    ) {
        contents = Contents(
            taskIdentifier: taskIdentifier,
            settings: settings,
            deadline: deadline,
            collectsBody: collectsBody,
            control: control
        )
    }
}
