/// The bytes of a request body that were sent and not told yet, as a value. What comes while nobody
/// takes it counts together, but for each sending of the body by itself.
struct SentBytes {
    struct Step: Equatable {
        /// The bytes since the step before, and those of this sending so far.
        var count: Int
        var total: Int
        var expected: Int?
    }

    private var told = 0
    /// One for each sending of the body, the present one last.
    private var untold: [(total: Int, expected: Int?, isAnother: Bool)] = []

    /// Notes the bytes so far; fewer than before belong to another sending.
    mutating func note(_ total: Int, of expected: Int?) {
        if let last = untold.last, total >= last.total {
            untold[untold.count - 1] = (total, expected, last.isAnother)
        } else if !untold.isEmpty || total != told {
            untold.append((total, expected, total < untold.last?.total ?? told))
        }
    }

    /// Notes bytes that were counted some time ago: more may have been noted since.
    mutating func noteEarlier(_ total: Int, of expected: Int?) {
        if total > untold.last?.total ?? told { note(total, of: expected) }
    }

    var hasSteps: Bool { !untold.isEmpty }

    /// The next step; nil when all was told.
    mutating func take() -> Step? {
        while !untold.isEmpty {
            let (total, expected, isAnother) = untold.removeFirst()
            if isAnother { told = 0 }
            defer { told = total }
            if total > told { return Step(count: total - told, total: total, expected: expected) }
        }
        return nil
    }
}
