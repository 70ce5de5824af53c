#if Images
    import FoundationEssentials

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// The other side: decodes the image that standard input brings, and ends the process.
    enum HelperService {
        static func serve() -> Never {
            guard closeInheritedFiles() else { exit(1) }
            // The limits of time are those of the system here.
            let channel = HelperChannel(descriptor: 0, deadline: nil)
            do throws(HelperChannel.Fault) {
                let request = try channel.receive(HelperRequest.self)
                limit(RLIMIT_CORE, 0)
                limit(RLIMIT_CPU, request.seconds)
                try channel.send(HelperGreeting())
                let data = Data(try channel.receive(request.byteCount))
                limit(RLIMIT_AS, usedMemory + request.memory)
                try reply(request.decoder, data, channel)
            } catch {
                exit(1)
            }
            exit(0)
        }

        /// Closes the files that the program had open: they are not for this process.
        ///
        /// - Returns: False where they are not known. What is read here is the list of the kernel,
        ///   since the numbers have no limit that is known: that of the process may have been
        ///   higher when they were opened.
        private static func closeInheritedFiles() -> Bool {
            let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            guard let names else { return false }
            // The reading of the list had a descriptor of its own, which is closed by now.
            for descriptor in names.compactMap({ CInt($0) }) where descriptor > 2 { close(descriptor) }
            return true
        }

        private static func reply(
            _ decoder: ImageDecoder,
            _ data: Data,
            _ channel: HelperChannel
        ) throws(HelperChannel.Fault) {
            let image: Image
            do throws(ImageDecodingError) {
                let plan = try DecodingPlan(decoder, data)
                image = try plan.image(decoder) {
                    // The loader is there now. A drawing may need the files of fonts, and the
                    // loader of X bitmaps writes the bytes that it gets to a file and reads that.
                    let format = plan.information.format
                    if format != .svg && format != .xbm { limit(RLIMIT_NOFILE, 3) }
                    limit(RLIMIT_FSIZE, format == .xbm ? data.count : 0)
                }
            } catch {
                return try channel.send(HelperReply(error))
            }
            try channel.send(HelperReply(image))
            for frame in image.frames { try channel.send(frame.bitmap.bytes) }
        }

        /// Sets a limit of this process, which it cannot raise again.
        private static func limit(_ resource: __rlimit_resource, _ value: Int) {
            var limit = rlimit(rlim_cur: rlim_t(max(0, value)), rlim_max: rlim_t(max(0, value)))
            // Where the limit is lower already, that one stays.
            _ = unsafe setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
        }

        /// The size of the address space of this process in bytes.
        private static var usedMemory: Int {
            guard let text = try? String(contentsOf: URL(filePath: "/proc/self/statm"), encoding: .utf8),
                let pages = text.split(separator: " ").first.flatMap({ Int($0) })
            else { return 256 << 20 }
            return pages * Int(sysconf(CInt(_SC_PAGESIZE)))
        }
    }
#endif
