// Runs the check whose name is its argument: it prints what is wrong, and ends with status 1 then;
// with status 77 where there is no display. Without an argument it prints the names.

#if GTK
    import BluebonnetGTK
    import CGtk4
    import Glibc

    guard let name = CommandLine.arguments.dropFirst().first else {
        for check in Check.all { print(check.name) }
        exit(0)
    }
    guard let check = Check.all.first(where: { $0.name == name }) else {
        print("There is no check \(name).")
        exit(2)
    }
    do throws(GTKError) {
        try GTKMainLoop.attach()
    } catch {
        print(error)
        exit(77)
    }
    // A check that hangs is ended by a signal.
    alarm(120)
    let work = Task {
        let faults = await check.run()
        for fault in faults { print(fault) }
        exit(faults.isEmpty ? 0 : 1)
    }
    unsafe g_main_loop_run(g_main_loop_new(nil, 0))
#endif
