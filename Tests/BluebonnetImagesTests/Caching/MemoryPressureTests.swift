#if Images
    import Dispatch
    import Foundation
    import Synchronization
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    @testable import BluebonnetImages

    @Suite(.timeLimit(.minutes(5)))
    struct MemoryPressureTests {
        /// A source that tells what a test says.
        private final class Source: MemoryPressureSource {
            private let wakeUp = DispatchSemaphore(value: 0)
            private let stops = Mutex(false)

            var isStopped: Bool { stops.withLock { $0 } }

            func tell() { wakeUp.signal() }

            func wait() -> Bool {
                wakeUp.wait()
                return !isStopped
            }

            func stop() {
                stops.withLock { $0 = true }
                wakeUp.signal()
            }
        }

        @Test func `all who listen are told, and the source is stopped behind the last one`() async throws {
            let (source, counts) = (Source(), [Counter(), Counter()])
            let pressure = MemoryPressure { source }
            let numbers = counts.map { count in pressure.listen { count.increment() } }
            source.tell()
            try await until("told") { counts.allSatisfy { $0.value == 1 } }
            pressure.remove(numbers[0])
            source.tell()
            try await until("told again") { counts[1].value == 2 }
            #expect(counts[0].value == 1)
            #expect(!source.isStopped)
            pressure.remove(numbers[1])
            #expect(source.isStopped)
        }

        @Test func `the source is made for the first who listens, and again for a later one`() {
            let made = Counter()
            let pressure = MemoryPressure {
                made.increment()
                return Source()
            }
            #expect(made.value == 0)
            let numbers = [pressure.listen {}, pressure.listen {}]
            #expect(made.value == 1)
            for number in numbers { pressure.remove(number) }
            pressure.remove(pressure.listen {})
            #expect(made.value == 2)
        }

        @Test func `a system that tells nothing is no fault`() {
            let (pressure, count) = (MemoryPressure { nil }, Counter())
            let number = pressure.listen { count.increment() }
            pressure.signal()
            #expect(count.value == 1)
            pressure.remove(number)
            pressure.remove(number)
        }

        @Test(.enabled(if: SystemMemoryPressure() != nil, "the system tells nothing of its memory"))
        func `the wait for the system's pressure ends when it is stopped`() throws {
            let source = try #require(SystemMemoryPressure())
            source.stop()
            #expect(!source.wait())
        }

        /// A trigger for threads that wait for a processor, which a test can have them do; nil
        /// where the kernel takes none. It is told of as one for memory is.
        private static func processorTrigger() -> CInt? {
            let file = unsafe open("/proc/pressure/cpu", O_RDWR | O_NONBLOCK | O_CLOEXEC)
            let trigger = "some 200000 2000000\0"
            guard file >= 0 else { return nil }
            guard unsafe write(file, trigger, trigger.utf8.count) == trigger.utf8.count else {
                close(file)
                return nil
            }
            return file
        }

        /// Closes the trigger again.
        private static let hasProcessorTrigger =
            processorTrigger().map { SystemMemoryPressure(trigger: $0, events: nil) != nil } ?? false

        @Test(.enabled(if: hasProcessorTrigger, "the kernel takes no trigger of PSI"))
        func `the wait ends when the kernel tells of pressure`() async throws {
            let trigger = try #require(Self.processorTrigger())
            let source = try #require(SystemMemoryPressure(trigger: trigger, events: nil))
            let (told, stops) = (Counter(), Counter())
            defer {
                stops.increment()
                source.stop()
            }
            Thread.detachNewThread {
                if source.wait() { told.increment() }
            }
            for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
                Thread.detachNewThread {
                    // Of this thread alone on Linux, so that other tests have the processors first.
                    _ = nice(19)
                    while stops.value == 0 {}
                }
            }
            try await until("told by the kernel") { told.value == 1 }
        }

        @Test func `the wait ends where the control group was removed`() throws {
            // A pipe that nobody writes to is ready for ever, and has no beginning to be read from.
            var ends: [CInt] = [-1, -1]
            try #require(unsafe pipe(&ends) == 0)
            close(ends[1])
            let source = try #require(SystemMemoryPressure(trigger: nil, events: ends[0]))
            #expect(!source.wait())
        }

        @Test func `a counter of the control group that has risen is pressure`() {
            let before = MemoryEvents("low 0\nhigh 3\nmax 7\noom 0\noom_kill 0\n")
            #expect(!before.isPressure(since: before))
            #expect(MemoryEvents("low 0\nhigh 4\nmax 7\noom 0\n").isPressure(since: before))
            #expect(MemoryEvents("max 8").isPressure(since: before))
            #expect(!MemoryEvents("low 0\nhigh 3\nmax 7\noom 0\noom_kill 5\n").isPressure(since: before))
            #expect(!MemoryEvents("high x\n\nmax 9 9\n99999999999999999999999").isPressure(since: before))
        }

        @Test func `the folder of the control group is found in the list of the process`() {
            #expect(MemoryEvents.folder(in: "0::/user.slice/a.scope\n") == "/sys/fs/cgroup/user.slice/a.scope")
            #expect(MemoryEvents.folder(in: "4:memory:/x\n0::/\n") == "/sys/fs/cgroup")
            #expect(MemoryEvents.folder(in: "0::/../other\n") == nil)
            #expect(MemoryEvents.folder(in: "4:memory:/x\n") == nil)
        }
    }
#endif
