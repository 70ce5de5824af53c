#if GTK
    import Bluebonnet
    import BluebonnetGTK
    import BluebonnetImages
    import CGtk4
    import FoundationEssentials
    import LocalServer

    extension Check {
        static let pictures = [
            Check("picture of a URL") { report in
                try await ImageServer.run { site in
                    let downloader = ImageDownloader()
                    for widget in [Widget.makePicture(), .makeImage()] {
                        let window = try await TestWindow(widget)
                        let picture = window.child.picture
                        picture.setImage(with: try site.url("60"), downloader: downloader)
                        try await until("the image is shown") { window.child.shownWidth == 60 }
                        report.expect(window.child.firstPixel, is: Bitmap.Pixel(red: 200, green: 10, blue: 20))
                        report.expect(!picture.isDownloading, "it is still under way")
                        window.close()
                    }
                    report.expect(site.server.requests.first?.value(of: "Accept"), is: "image/*")
                }
            },
            Check("placeholder") { report in
                let gate = FaultGate()
                try await ImageServer.run(before: { _ in [.hold(gate)] }) { site in
                    let window = try await TestWindow(.makePicture())
                    let picture = window.child.picture
                    let placeholder = try ImageServer.placeholder()
                    picture.setImage(with: try site.url("60"), placeholder: placeholder, downloader: ImageDownloader())
                    report.expect(window.child.shownWidth, is: 3)
                    // Another value around the same widget sees the same download.
                    report.expect(window.child.picture.isDownloading, "nothing is under way")
                    gate.open()
                    try await until("the image is shown") { window.child.shownWidth == 60 }
                    // Without a placeholder, what is shown stays.
                    picture.setImage(with: try site.url("90"), downloader: ImageDownloader())
                    report.expect(window.child.shownWidth, is: 60)
                    try await until("the next image is shown") { window.child.shownWidth == 90 }
                    window.close()
                }
            },
            Check("image in memory") { report in
                try await ImageServer.run { site in
                    let downloader = ImageDownloader()
                    _ = try await downloader.image(from: try site.url("60"))
                    let window = try await TestWindow(.makePicture())
                    let picture = window.child.picture
                    let placeholder = try ImageServer.placeholder()
                    picture.setImage(with: try site.url("60"), placeholder: placeholder, downloader: downloader)
                    report.expect(window.child.shownWidth, is: 60)
                    var response: ResponseHead??
                    picture.setImage(
                        with: try site.url("60"),
                        downloader: downloader,
                        success: { response = $0.response }
                    )
                    report.expect(response == .some(nil), "success was not called at once, without a response")
                    report.expect(site.count("60"), is: 1)
                    window.close()
                }
            },
            Check("same URL again") { report in
                let gate = FaultGate()
                try await ImageServer.run(before: { _ in [.hold(gate)] }) { site in
                    let window = try await TestWindow(.makePicture())
                    let (picture, downloader) = (window.child.picture, ImageDownloader())
                    var calls: [Int] = []
                    for number in 1...2 {
                        picture.setImage(
                            with: try site.url("60"),
                            downloader: downloader,
                            success: { _ in calls.append(number) }
                        )
                    }
                    gate.open()
                    try await until("success is called") { !calls.isEmpty }
                    report.expect(calls, is: [1])
                    // It has taken over showing the image.
                    report.expect(window.child.shownWidth, is: 0)
                    report.expect(site.count("60"), is: 1)
                    window.close()
                }
            },
            Check("failure") { report in
                try await ImageServer.run { site in
                    let window = try await TestWindow(.makePicture())
                    let picture = window.child.picture
                    var error: NetworkingError?
                    let placeholder = try ImageServer.placeholder()
                    picture.setImage(
                        with: try site.url("none"),
                        placeholder: placeholder,
                        downloader: ImageDownloader(),
                        failure: {
                            report.expect(bluebonnet_is_main_thread() != 0, "failure was not called on the main thread")
                            error = $0
                        }
                    )
                    try await until("failure is called") { error != nil }
                    report.expect(error?.response?.statusCode, is: 404)
                    report.expect(window.child.shownWidth, is: 3)
                    error = nil
                    picture.setImage(with: nil as URL?, failure: { error = $0 })
                    report.expect(error?.code, is: .invalidURL)
                    report.expect(window.child.shownWidth, is: 0)
                    window.close()
                }
            },
            Check("no larger than the widget") { report in
                try await ImageServer.run { site in
                    let widget = Widget.makePicture()
                    unsafe gtk_widget_set_size_request(widget.pointer, 30, 20)
                    unsafe gtk_widget_set_halign(widget.pointer, GTK_ALIGN_CENTER)
                    unsafe gtk_widget_set_valign(widget.pointer, GTK_ALIGN_CENTER)
                    let window = try await TestWindow(widget)
                    let picture = widget.picture
                    report.expect(picture.pixelSize, is: ImageSize(width: 30, height: 20))
                    picture.setImage(with: try site.url("600"), fitsWidget: true, downloader: ImageDownloader())
                    try await until("the image is shown") { widget.shownWidth == 30 }
                    window.close()
                }
            },
            Check("parts of an image") { report in
                let gate = FaultGate()
                let bytes = Array(try require(ImageServer.bitmap(600)).pngData())
                let (half, fields) = (bytes.count / 2, "Content-Type: image/png\r\nContent-Length: \(bytes.count)")
                let head = Array("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n".utf8)
                let server = try await FaultServer.start(
                    .requests { _ in [.send(head + bytes[..<half]), .hold(gate), .send(Array(bytes[half...]))] }
                )
                let window = try await TestWindow(.makePicture())
                let picture = window.child.picture
                picture.setImage(
                    with: try require(URL(string: "\(server.baseURL)/600")),
                    placeholder: try ImageServer.placeholder(),
                    showsParts: true,
                    downloader: ImageDownloader()
                )
                report.expect(window.child.shownWidth, is: 3)
                try await until("a part is shown") { window.child.shownWidth == 600 }
                report.expect(picture.isDownloading, "nothing is under way")
                report.expect(window.child.firstPixel, is: Bitmap.Pixel(red: 200, green: 10, blue: 20))
                report.expect(window.child.lastPixel?.red != 200, "the last row is shown already")
                gate.open()
                try await until("the image is shown") { window.child.lastPixel?.red == 200 }
                try await until("nothing is under way") { !picture.isDownloading }
                window.close()
                await server.shutdown()
            },
            Check("progress of an image") { report in
                try await ImageServer.run { site in
                    let window = try await TestWindow(.makePicture())
                    var last: TaskProgress?
                    window.child.picture.setImage(
                        with: try site.url("60"),
                        downloader: ImageDownloader(),
                        progress: { last = $0 }
                    )
                    try await until("the image is shown") { window.child.shownWidth == 60 }
                    report.expect(last?.download.fractionCompleted, is: 1)
                    window.close()
                }
            },
        ]
    }
#endif
