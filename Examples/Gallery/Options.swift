/// The command line: `Gallery [SERVER] [--pictures COUNT] [--dark] [--screenshot FILE]
/// [--automatic] [--scroll-seconds SECONDS] [--measure]`
struct Options {
    struct Problem: Error {
        var message: String
    }

    /// The server of the pictures.
    var server = "http://127.0.0.1:8080"
    /// The number of pictures that are asked for.
    var pictureCount = 1000
    /// Whether the window is dark at first.
    var isDark = false
    /// Whether the program uses itself, says what it has seen, and ends.
    var isAutomatic = false
    /// Whether an automatic run also says how long frames took, and how much memory is used. Then
    /// the program ends with the status 1 where a frame took more than 16 ms.
    var isMeasuring = false
    /// The time in which an automatic run scrolls to the end.
    var scrollSeconds = 2.0
    /// The PNG file for a picture of the window, when all is loaded; then the program ends.
    var screenshot: String?

    init(_ arguments: some Sequence<String>) throws(Problem) {
        var arguments = arguments.makeIterator()
        func value<Value: LosslessStringConvertible>(of name: String) throws(Problem) -> Value {
            guard let value = arguments.next().flatMap(Value.init) else {
                throw Problem(message: "\(name) needs a value.")
            }
            return value
        }
        while let argument = arguments.next() {
            switch argument {
            case "--pictures": pictureCount = try value(of: argument)
            case "--dark": isDark = true
            case "--automatic": isAutomatic = true
            case "--measure": isMeasuring = true
            case "--scroll-seconds": scrollSeconds = try value(of: argument)
            case "--screenshot": screenshot = try value(of: argument)
            case _ where argument.hasPrefix("-"): throw Problem(message: "There is no option \(argument).")
            default: server = argument
            }
        }
    }
}
