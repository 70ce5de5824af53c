/// The client does not do this job.
public struct NoSuchWorkload: Error {
    /// Makes the error.
    public init() {}
}
