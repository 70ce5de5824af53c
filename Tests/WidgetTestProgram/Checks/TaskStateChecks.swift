#if GTK
    import Bluebonnet
    import BluebonnetGTK
    import BluebonnetImages
    import LocalServer

    extension Check {
        static let taskStates = [
            Check("spinner") { report in
                try await HalfServer.run { half in
                    let window = try await TestWindow(.makeSpinner())
                    let (spinner, task) = (window.child.spinner, try half.task())
                    spinner.setSpinning(withStateOf: task)
                    report.expect(!window.child.spins, "it spins before the task runs")
                    task.resume()
                    try await until("it spins") { window.child.spins }
                    task.suspend()
                    try await until("it stops for a suspended task") { !window.child.spins }
                    task.resume()
                    try await until("it spins again") { window.child.spins }
                    half.gate.open()
                    _ = try await task.value
                    try await until("it stops at the end") { !window.child.spins }
                    spinner.setSpinning(withStateOf: task)
                    report.expect(!window.child.spins, "it spins for a task that is over")
                    window.close()
                }
            },
            Check("spinner of a cancelled task") { report in
                try await HalfServer.run { half in
                    let window = try await TestWindow(.makeSpinner())
                    let (spinner, task) = (window.child.spinner, try half.task())
                    task.resume()
                    spinner.setSpinning(withStateOf: task)
                    report.expect(window.child.spins, "it does not spin for a task that runs")
                    task.cancel()
                    try await until("it stops") { !window.child.spins }
                    let other = try half.task()
                    other.resume()
                    spinner.setSpinning(withStateOf: other)
                    spinner.setSpinning(withStateOf: nil)
                    report.expect(!window.child.spins, "it spins for no task")
                    await turns()
                    report.expect(!window.child.spins, "it spins for a task that was replaced")
                    half.gate.open()
                    window.close()
                }
            },
            Check("refresh") { report in
                try await HalfServer.run { half in
                    let window = try await TestWindow(.makeButton("Refresh"))
                    let (control, task) = (window.child.refreshControl, try half.task())
                    var changes: [Bool] = []
                    control.setRefreshing(withStateOf: task, onChange: { changes.append($0) })
                    report.expect(!control.isRefreshing, "it refreshes before the task runs")
                    task.resume()
                    try await until("it refreshes") { control.isRefreshing }
                    report.expect(window.child.isSensitive, is: false)
                    report.expect(window.child.label == nil, "it has its label and no spinner")
                    half.gate.open()
                    try await until("it has refreshed") { !control.isRefreshing }
                    report.expect(window.child.isSensitive, is: true)
                    report.expect(window.child.label, is: "Refresh")
                    report.expect(changes, is: [true, false])
                    window.close()
                }
            },
            Check("refresh of a button with images") { report in
                try await HalfServer.run { half in
                    let window = try await TestWindow(.makeButton("Refresh"))
                    let (button, control) = (window.child.button, window.child.refreshControl)
                    func image(_ width: Int) throws -> Image { Image(try require(Bitmap(width: width, height: 10))) }
                    button.setImage(try image(60))
                    button.setImage(try image(61), for: .insensitive)
                    report.expect(window.child.child?.shownWidth, is: 60)
                    let task = try half.task()
                    control.setRefreshing(withStateOf: task)
                    task.resume()
                    try await until("it refreshes") { control.isRefreshing }
                    // What is set meanwhile is shown at the end.
                    button.setImage(try image(62))
                    button.setImage(try image(63), for: .insensitive)
                    report.expect(window.child.child?.spins, is: true)
                    half.gate.open()
                    try await until("it has refreshed") { !control.isRefreshing }
                    report.expect(window.child.child?.shownWidth, is: 62)
                    window.child.isSensitive = false
                    report.expect(window.child.child?.shownWidth, is: 63)
                    window.close()
                }
            },
            Check("activity indicator") { report in
                try await HalfServer.run { half in
                    let spinner = Widget.makeSpinner()
                    let window = try await TestWindow(.makeBox(with: spinner))
                    let monitor = NetworkActivityMonitor(activationDelay: .zero, completionDelay: .zero)
                    monitor.observe(half.session)
                    spinner.activityIndicator.follow(monitor)
                    report.expect(spinner.isVisible, is: false)
                    let task = try half.task()
                    task.resume()
                    try await until("it is shown") { spinner.isVisible && spinner.spins }
                    half.gate.open()
                    try await until("it is hidden") { !spinner.isVisible && !spinner.spins }
                    monitor.increment()
                    try await until("it is shown") { spinner.isVisible }
                    spinner.activityIndicator.follow(nil)
                    report.expect(spinner.isVisible, is: false)
                    window.close()
                }
            },
        ]
    }
#endif
