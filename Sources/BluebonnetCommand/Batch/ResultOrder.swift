/// Puts results back into the order of their lines.
struct ResultOrder: Sendable {
    private var next = 1
    private var held: [Int: [UInt8]] = [:]

    /// Takes a result and returns the results that may be written now.
    ///
    /// - Parameters:
    ///   - result: The result.
    ///   - number: The number of its line, from 1.
    /// - Returns: The results that come next in the order of the lines.
    mutating func add(_ result: [UInt8], at number: Int) -> [[UInt8]] {
        held[number] = result
        var ready: [[UInt8]] = []
        while let result = held.removeValue(forKey: next) {
            ready.append(result)
            next += 1
        }
        return ready
    }
}
