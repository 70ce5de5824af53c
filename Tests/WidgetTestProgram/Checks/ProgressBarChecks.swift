#if GTK
    import Bluebonnet
    import BluebonnetGTK
    import CGtk4
    import FoundationEssentials
    import HTTPTypes
    import LocalServer

    extension Check {
        static let progressBars = [
            Check("progress of a download") { report in
                for isAnimated in [false, true] {
                    try await HalfServer.run { half in
                        let window = try await TestWindow(.makeProgressBar())
                        let task = try half.task()
                        window.child.progressBar.setProgress(ofDownload: task, animated: isAnimated)
                        report.expect(window.child.fraction, is: 0)
                        task.resume()
                        try await until("the first half is shown") { window.child.fraction == 0.5 }
                        half.gate.open()
                        try await until("all is shown") { window.child.fraction == 1 }
                        // Another task takes its place.
                        window.child.progressBar.setProgress(ofDownload: try half.task())
                        report.expect(window.child.fraction, is: 0)
                        _ = try await task.value
                        await turns()
                        report.expect(window.child.fraction, is: 0)
                        window.close()
                    }
                }
            },
            Check("progress without a length") { report in
                try await HalfServer.run(hasLength: false) { half in
                    let window = try await TestWindow(.makeProgressBar())
                    let task = try half.task()
                    window.child.progressBar.setProgress(ofDownload: task)
                    report.expect(!window.child.pulses, "it pulses before anything has come")
                    task.resume()
                    try await until("it pulses") { window.child.pulses }
                    half.gate.open()
                    try await until("all is shown") { window.child.fraction == 1 && !window.child.pulses }
                    window.close()
                }
            },
            Check("progress of an upload") { report in
                try await FaultServer.run(.requests { _ in [.respond()] }) { server in
                    let window = try await TestWindow(.makeProgressBar())
                    var request = Request(method: .post, url: try require(URL(string: "\(server.baseURL)/")))
                    request.body = .data(Data(repeating: 7, count: 300_000))
                    let session = SessionManager()
                    let task = session.uploadTask(for: request)
                    window.child.progressBar.setProgress(ofUpload: task)
                    _ = try await task.value
                    try await until("all is shown") { window.child.fraction == 1 }
                    report.expect(session.tasks.isEmpty, "the task is not over")
                    window.close()
                }
            },
            Check("progress of a destroyed bar") { report in
                try await HalfServer.run { half in
                    let window = try await TestWindow(.makeProgressBar())
                    let task = try half.task()
                    window.child.progressBar.setProgress(ofDownload: task, animated: true)
                    task.resume()
                    try await until("the first half is shown") { window.child.fraction > 0 }
                    window.close()
                    half.gate.open()
                    let body = try await task.value
                    await turns()
                    report.expect(body.count, is: 2000)
                }
            },
        ]
    }
#endif
