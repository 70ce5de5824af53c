#if Images
    import FoundationEssentials
    import Synchronization

    extension ImageHelperProcess {
        /// Decodes an image in another process. Blocks the calling thread.
        func decode(_ data: Data, _ decoder: ImageDecoder) throws(ImageDecodingError) -> Image {
            var decoder = decoder
            decoder.helper = nil
            decoder.formats = decoder.formats ?? ImageFormat.helperDefaults
            // What the first bytes say needs no other process.
            let plan = try DecodingPlan(decoder, data)
            try plan.checkEnd()
            let information = plan.information
            let pixels = Self.pixels(of: information, decoder.limits)
            // Within the numbers of the system.
            let base = min(max(timeLimit, .milliseconds(1)), .seconds(1 << 30))
            let time = base + .seconds(1) * (Double(min(pixels, 1 << 40)) / 10_000_000)
            var program = try program()
            defer { program.end() }
            let start = HelperChannel(descriptor: program.descriptor, deadline: .now + startLimit)
            let request = HelperRequest(
                decoder,
                memory: min(max(maximumMemory, 0), 1 << 40) + min(pixels, 1 << 40) * 16,
                // The start has taken some of the processor, too.
                seconds: Int((time / .seconds(1)).rounded(.up)) + 1,
                byteCount: data.count
            )
            let result: Result<Image, ImageDecodingError>
            do throws(HelperChannel.Fault) {
                try start.send(request)
                _ = try start.receive(HelperGreeting.self)
            } catch {
                if error == .late {
                    throw ImageDecodingError(.helperFailed, "The helper process did not start within \(startLimit).")
                }
                let signal = error == .ended ? program.signal() : nil
                throw Self.error(error, signal, time, information.format)
            }
            // Until now, the process has seen nothing of the image.
            let channel = HelperChannel(descriptor: program.descriptor, deadline: .now + time)
            do throws(HelperChannel.Fault) {
                try channel.send(Array(data))
                let reply = try channel.receive(HelperReply.self)
                if let error = reply.error(information.format) {
                    result = .failure(error)
                } else {
                    result = .success(try Self.image(of: reply, channel, plan, decoder))
                }
            } catch {
                let signal = error == .ended ? program.signal() : nil
                result = .failure(Self.error(error, signal, time, information.format))
            }
            return try result.get()
        }

        private func program() throws(ImageDecodingError) -> HelperProgram {
            guard let executable else {
                guard Self.isPrepared.load(ordering: .relaxed) else {
                    throw ImageDecodingError(
                        .helperFailed,
                        "The program must call ImageHelperProcess.serveIfRequested() before all else, or the "
                            + "helper process needs an executable."
                    )
                }
                guard let program = HelperProgram(path: "/proc/self/exe") else {
                    throw ImageDecodingError(.helperFailed, "This program could not be started as a helper process.")
                }
                return program
            }
            let path = executable.path(percentEncoded: false)
            guard let program = HelperProgram(path: path) else {
                throw ImageDecodingError(.helperFailed, "\(path) could not be started as a helper process.")
            }
            return program
        }

        /// The number of pixels for which the process gets memory and time; 0 for a drawing.
        private static func pixels(of information: ImageInformation, _ limits: ImageLimits) -> Int {
            // The plan has checked that neither is above its limit.
            let image = (information.width ?? 0).times(information.height ?? 0)
            return information.frameCount > 1
                ? max(image, min(image.times(information.frameCount), limits.maximumTotalPixelCount)) : image
        }

        /// The image of a reply. The process may be in the hands of who made the image: what it
        /// says is checked like any bytes.
        private static func image(
            of reply: HelperReply,
            _ channel: HelperChannel,
            _ plan: DecodingPlan,
            _ decoder: ImageDecoder
        ) throws(HelperChannel.Fault) -> Image {
            let limits = decoder.limits
            guard let size = Bitmap.byteCount(width: reply.width, height: reply.height),
                size / 4 <= limits.maximumPixelCount,
                (1...max(1, limits.maximumFrameCount)).contains(reply.delays.count),
                reply.delays.count == 1 || size / 4 <= limits.maximumTotalPixelCount / reply.delays.count
            else { throw .nonsense }
            var frames: [Image.Frame] = []
            for delay in reply.delays {
                let bitmap = Bitmap(width: reply.width, height: reply.height, checked: try channel.receive(size))
                frames.append(Image.Frame(bitmap: bitmap, delay: .milliseconds(max(0, min(delay, 1 << 32)))))
            }
            guard let image = plan.described(frames, decoder) else { throw .nonsense }
            return image
        }

        private static func error(
            _ fault: HelperChannel.Fault,
            _ signal: CInt?,
            _ time: Duration,
            _ format: ImageFormat
        ) -> ImageDecodingError {
            switch fault {
            case .late:
                return ImageDecodingError(
                    .helperStopped,
                    "The \(format) image was not decoded within \(time).",
                    format: format
                )
            case .nonsense:
                return ImageDecodingError(.helperFailed, "The helper process has sent no image.", format: format)
            case .ended:
                guard let signal else {
                    return ImageDecodingError(
                        .helperFailed,
                        "The executable that was started is not a helper process: it does not call "
                            + "ImageHelperProcess.serveIfRequested() before all else.",
                        format: format
                    )
                }
                return ImageDecodingError(
                    .helperStopped,
                    "The \(format) image has ended its helper process with the signal \(signal): a fault of the "
                        + "loader, or its limit of memory or time.",
                    format: format
                )
            }
        }
    }

    extension HelperReply {
        /// The error that it tells, if any.
        fileprivate func error(_ format: ImageFormat) -> ImageDecodingError? {
            guard let reason, let message else { return nil }
            return ImageDecodingError(
                ImageDecodingError.Reason(known: reason) ?? .malformed,
                String(message.prefix(1000)),
                format: format
            )
        }
    }
#endif
