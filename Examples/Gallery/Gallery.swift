import BluebonnetGTK
import CGtk
import Glibc

/// A window with a grid of a server's pictures, which are loaded while it is scrolled.
///
/// Needs a display, and a server with pictures, for example `bluebonnet serve --port 8080`:
/// `swift run Gallery [SERVER] [--pictures COUNT] [--dark]`. Options.swift has all options.
@main
struct Gallery {
    @MainActor private static var window: GalleryWindow?
    /// 1 where an automatic run has measured frames that took too long.
    @MainActor private static var status: CInt = 0

    /// Not asynchronous: the main thread belongs to GTK.
    @MainActor
    static func main() {
        do {
            let options = try Options(CommandLine.arguments.dropFirst())
            // From here on, the main loop of GTK also runs what Swift sends to the main actor.
            try GTKMainLoop.attach()
            exit(run(options))
        } catch let problem as Options.Problem {
            print(problem.message)
        } catch {
            print("GTK has no display.")
        }
        exit(2)
    }

    @MainActor
    private static func run(_ options: Options) -> CInt {
        let application: UnsafeMutablePointer<GtkApplication> =
            gtk_application_new("org.example.Gallery", G_APPLICATION_NON_UNIQUE)
        let pointer = OpaquePointer(application)
        connect(pointer, "activate") {
            Style.load()
            let library = PhotoLibrary(server: options.server, count: options.pictureCount)
            let opened = GalleryWindow(application, library, isDark: options.isDark)
            window = opened
            gtk_window_present(opened.widget.cast())
            opened.refresh()
            guard options.isAutomatic || options.screenshot != nil else { return }
            Task {
                if await !AutomaticRun(window: opened, options: options).run() { status = 1 }
                gtk_window_destroy(opened.widget.cast())
            }
        }
        let code = g_application_run(
            UnsafeMutableRawPointer(application).assumingMemoryBound(to: GApplication.self),
            0,
            nil
        )
        return code == 0 ? status : code
    }
}
