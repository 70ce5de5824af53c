#if GTK
    import Bluebonnet
    import BluebonnetGTK
    import BluebonnetImages
    import CGtk4
    import FoundationEssentials
    import LocalServer

    extension Check {
        static let buttons = [
            Check("button") { report in
                try await ImageServer.run { site in
                    let window = try await TestWindow(.makeButton("Load"))
                    let (button, downloader) = (window.child.button, ImageDownloader())
                    let widths: [(Button.State, Int)] = [
                        (.normal, 60), (.prelight, 61), (.active, 62), (.insensitive, 63),
                    ]
                    for (state, width) in widths {
                        button.setImage(with: try site.url("\(width)"), for: state, downloader: downloader)
                    }
                    for (state, _) in widths {
                        report.expect(button.isDownloading(for: state), "\(state) is not under way")
                    }
                    try await until("all images are here") { downloader.receiptCount == 0 }
                    try await until("the image is shown") { window.child.child?.shownWidth == 60 }
                    try await until("none is under way") { widths.allSatisfy { !button.isDownloading(for: $0.0) } }
                    let flags = [
                        (GTK_STATE_FLAG_PRELIGHT, 61), (GTK_STATE_FLAG_ACTIVE, 62), (GTK_STATE_FLAG_NORMAL, 60),
                    ]
                    for (flag, width) in flags {
                        unsafe gtk_widget_set_state_flags(window.child.pointer, flag, 0)
                        report.expect(window.child.child?.shownWidth, is: width)
                        unsafe gtk_widget_unset_state_flags(window.child.pointer, flag)
                    }
                    window.child.isSensitive = false
                    report.expect(window.child.child?.shownWidth, is: 63)
                    button.setImage(nil, for: .insensitive)
                    report.expect(window.child.child?.shownWidth, is: 60)
                    window.child.isSensitive = true
                    window.close()
                }
            },
            Check("background of a button") { report in
                try await ImageServer.run { site in
                    let window = try await TestWindow(.makeButton("Load"))
                    let (button, downloader) = (window.child.button, ImageDownloader())
                    button.setBackgroundImage(with: try site.url("90"), downloader: downloader)
                    button.setBackgroundImage(with: try site.url("91"), for: .insensitive, downloader: downloader)
                    try await until("the background is shown") { window.child.layers.first?.shownWidth == 90 }
                    try await until("the other one is here") { downloader.receiptCount == 0 }
                    // The label is still there.
                    report.expect(window.child.layers.count, is: 2)
                    button.setImage(with: try site.url("60"), downloader: downloader)
                    try await until("the image is shown") { window.child.layers.last?.shownWidth == 60 }
                    report.expect(window.child.layers.map(\.shownWidth), is: [90, 60])
                    window.child.isSensitive = false
                    try await until("the background of the state is shown") {
                        window.child.layers.map(\.shownWidth) == [91, 60]
                    }
                    button.setBackgroundImage(nil, for: .insensitive)
                    report.expect(window.child.layers.map(\.shownWidth), is: [90, 60])
                    button.setBackgroundImage(with: try site.url("92"), downloader: downloader)
                    button.cancelBackgroundImageDownload()
                    report.expect(downloader.receiptCount, is: 0)
                    window.close()
                }
            },
            Check("placeholder and closures of a button") { report in
                let gate = FaultGate()
                try await ImageServer.run(before: { _ in [.hold(gate)] }) { site in
                    let window = try await TestWindow(.makeButton("Load"))
                    let (button, downloader) = (window.child.button, ImageDownloader())
                    let placeholder = try ImageServer.placeholder()
                    button.setImage(with: try site.url("60"), placeholder: placeholder, downloader: downloader)
                    report.expect(window.child.child?.shownWidth, is: 3)
                    gate.open()
                    try await until("the image is shown in its place") { window.child.child?.shownWidth == 60 }
                    var widths: [Int] = []
                    button.setImage(
                        with: try site.url("61"),
                        placeholder: placeholder,
                        downloader: downloader,
                        success: { widths.append($0.image.width) }
                    )
                    try await until("success is called") { widths == [61] }
                    // It has taken over showing the image.
                    report.expect(window.child.child?.shownWidth, is: 3)
                    var statuses: [Int?] = []
                    let url = try site.url("none")
                    button.setImage(
                        with: url,
                        for: .active,
                        downloader: downloader,
                        failure: { statuses.append($0.response?.statusCode) }
                    )
                    button.setBackgroundImage(
                        with: url,
                        downloader: downloader,
                        failure: { statuses.append($0.response?.statusCode) }
                    )
                    try await until("failure is called for both") { statuses == [404, 404] }
                    var code: NetworkingError.Code?
                    button.setImage(with: nil as URL?, failure: { code = $0.code })
                    report.expect(code, is: .invalidURL)
                    window.close()
                }
            },
            Check("cancelled button") { report in
                let gate = FaultGate()
                try await ImageServer.run(before: { _ in [.hold(gate)] }) { site in
                    let window = try await TestWindow(.makeButton("Load"))
                    let (button, downloader) = (window.child.button, ImageDownloader())
                    let placeholder = try ImageServer.placeholder()
                    button.setImage(with: try site.url("60"), placeholder: placeholder, downloader: downloader)
                    button.setImage(with: try site.url("61"), for: .active, downloader: downloader)
                    report.expect(downloader.receiptCount, is: 2)
                    button.cancelImageDownload(for: .active)
                    report.expect(downloader.receiptCount, is: 1)
                    window.close()
                    try await until("the widget is gone") { downloader.receiptCount == 0 }
                    gate.open()
                }
            },
        ]
    }
#endif
