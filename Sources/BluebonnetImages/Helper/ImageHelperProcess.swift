#if Images
    public import FoundationEssentials
    import Synchronization

    /// A process that decodes images in place of this one, so that a fault in a loader of the
    /// system cannot take the program with it, and no image can take more time or memory than it
    /// may.
    ///
    /// The program is started again with a hidden argument, for each image: its first statement is
    /// ``serveIfRequested()``. Or another ``executable`` is started that has it.
    ///
    /// <!-- snippet:
    /// import Bluebonnet
    /// import BluebonnetImages
    /// import Foundation
    /// -->
    /// ```swift
    /// ImageHelperProcess.serveIfRequested()
    /// var decoder = ImageDecoder()
    /// decoder.helper = ImageHelperProcess()
    /// ```
    ///
    /// The process gets the bytes of the image through a socket, and its pixels come back. It has
    /// no other open files, cannot write files and, once its loader is ready, cannot open one
    /// either. (Drawings need the files of fonts, and the loader of X bitmaps a file of the bytes.)
    /// Of the environment of the program, it has the variables that loaders need to find their
    /// files, such as `LD_LIBRARY_PATH` and `GDK_PIXBUF_MODULE_FILE`, and no other.
    /// The limits are those of the system for a process; it is not a sandbox against code that is
    /// made to break out of it.
    ///
    /// No counterpart in AFNetworking.
    public struct ImageHelperProcess: Sendable, Hashable {
        /// The executable that is started; nil for that of the present process. Default: nil.
        public var executable: URL?

        /// The memory in bytes that decoding may take, beyond 16 bytes for each pixel of the image.
        /// Default: 128 MiB.
        public var maximumMemory = 128 << 20

        /// The time that decoding may take, on the clock and on the processor, beyond one second
        /// for each 10 million pixels of the image. Default: 1 second, so that a drawing without an
        /// end is an error within 2 seconds where the machine has other work, too. At least a
        /// millisecond.
        ///
        /// The start of the process does not count, which no image can make slower; it may take 10
        /// seconds.
        public var timeLimit: Duration = .seconds(1)

        /// The time that the start of the process may take. Where many start at once, each is slow.
        var startLimit: Duration = .seconds(10)

        /// Makes a helper process with the default limits.
        public init() {}

        /// The argument by which a process knows that it is to decode.
        static let argument = "--bluebonnet-decode-image"

        /// Whether this program has asked whether it is to decode.
        static let isPrepared = Atomic(false)

        /// Decodes one image and ends the process, where the process was started for that; else
        /// does nothing. The first statement of a program that uses a helper process without an
        /// ``executable`` of its own.
        public static func serveIfRequested() {
            isPrepared.store(true, ordering: .relaxed)
            let arguments = CommandLine.arguments
            guard arguments.count == 2, arguments[1] == argument else { return }
            HelperService.serve()
        }
    }
#endif
