#if GTK
    import Bluebonnet
    import BluebonnetGTK
    import BluebonnetImages
    import CGtk4
    import LocalServer

    extension Check {
        static let reuse = [
            Check("late image of an earlier row") { report in
                let gate = FaultGate()
                try await ImageServer.run(before: { $0.target == "/60" ? [.hold(gate)] : [] }) { site in
                    let window = try await TestWindow(.makePicture())
                    let (picture, downloader) = (window.child.picture, ImageDownloader())
                    // Somebody else waits for the first image too, so that it arrives.
                    let other = Task { try await downloader.image(from: try site.url("60")) }
                    var faults = 0
                    picture.setImage(with: try site.url("60"), downloader: downloader, failure: { _ in faults += 1 })
                    try await site.server.waitForRequests(1)
                    picture.setImage(with: try site.url("90"), downloader: downloader)
                    try await until("the second image is shown") { window.child.shownWidth == 90 }
                    gate.open()
                    _ = try await other.value
                    await turns()
                    report.expect(window.child.shownWidth, is: 90)
                    report.expect(faults, is: 0)
                    window.close()
                }
            },
            Check("cancelled image") { report in
                let gate = FaultGate()
                try await ImageServer.run(before: { _ in [.hold(gate)] }) { site in
                    let window = try await TestWindow(.makePicture())
                    let (picture, downloader) = (window.child.picture, ImageDownloader())
                    var calls = 0
                    picture.setImage(
                        with: try site.url("60"),
                        downloader: downloader,
                        success: { _ in calls += 1 },
                        failure: { _ in calls += 1 }
                    )
                    try await site.server.waitForRequests(1)
                    window.child.picture.cancelImageDownload()
                    report.expect(downloader.receiptCount, is: 0)
                    report.expect(!picture.isDownloading, "it is still under way")
                    try await until("the transfer has ended") { downloader.activeCount == 0 }
                    gate.open()
                    await turns()
                    report.expect(calls, is: 0)
                    // The same image can be asked for again.
                    picture.setImage(with: try site.url("60"), downloader: downloader)
                    try await until("the image is shown") { window.child.shownWidth == 60 }
                    window.close()
                }
            },
            Check("destroyed widget") { report in
                let gate = FaultGate()
                try await ImageServer.run(before: { _ in [.hold(gate)] }) { site in
                    let downloader = ImageDownloader()
                    var calls = 0
                    // Destroyed while somebody has a reference.
                    let window = try await TestWindow(.makePicture())
                    let widget = window.child
                    widget.retain()
                    widget.picture.setImage(
                        with: try site.url("60"),
                        downloader: downloader,
                        failure: { _ in calls += 1 }
                    )
                    window.close()
                    report.expect(downloader.receiptCount, is: 1)
                    widget.dispose()
                    report.expect(downloader.receiptCount, is: 0)
                    report.expect(widget.referenceCount, is: 1)
                    widget.release()
                    // Destroyed with its window.
                    let last = try await TestWindow(.makePicture())
                    last.child.picture.setImage(with: try site.url("61"), downloader: downloader)
                    report.expect(downloader.receiptCount, is: 1)
                    last.close()
                    report.expect(downloader.receiptCount, is: 0)
                    // Released without ever having been in a window.
                    let other = Widget.makePicture()
                    other.retain()
                    other.picture.setImage(with: try site.url("90"), downloader: downloader)
                    report.expect(downloader.receiptCount, is: 1)
                    other.release()
                    report.expect(downloader.receiptCount, is: 0)
                    gate.open()
                    try await until("the transfers have ended") { downloader.activeCount == 0 }
                    await turns()
                    report.expect(calls, is: 0)
                }
            },
            Check("a thousand rows") { report in
                try await ImageServer.run { site in
                    let window = try await TestWindow(.makePicture())
                    let (picture, downloader) = (window.child.picture, ImageDownloader())
                    picture.setImage(with: try site.url("60"), downloader: downloader)
                    try await until("the image is shown") { window.child.shownWidth == 60 }
                    let (sources, references) = (try await restingSourceCount(), window.child.referenceCount)
                    for row in 0..<1000 {
                        picture.setImage(with: try site.url("\(61 + row % 50)"), downloader: downloader)
                        if row % 7 == 0 { picture.cancelImageDownload() }
                        if row % 5 == 0 { await Task.yield() }
                    }
                    picture.setImage(with: try site.url("200"), downloader: downloader)
                    try await until("the last image is shown") { window.child.shownWidth == 200 }
                    try await until("no transfer is left") { downloader.activeCount == 0 }
                    await turns()
                    report.expect(window.child.shownWidth, is: 200)
                    report.expect(downloader.receiptCount, is: 0)
                    try await until("no source is left") { sourceCount == sources }
                    report.expect(window.child.referenceCount, is: references)
                    window.close()
                }
            },
        ]

        /// Lets everything run that waits for the main thread.
        @MainActor
        static func turns() async {
            for _ in 0..<20 { await Task.yield() }
        }
    }
#endif
