#if WebKitGTK
    import CGtk4
    import CWebKitGTK

    /// A navigation of which WebKit asks whether it may begin.
    struct LinkNavigation: Equatable {
        var url: String
        var method = "GET"
        /// Whether it comes of a link or a form, and not of "back", "reload" or a script.
        var isLink = true
        /// Whether a person has begun it.
        var isUserGesture = true
        var isRedirect = false
        /// The number of the mouse button; 0 for the keyboard.
        var mouseButton: UInt32 = 1
        var modifiers: UInt32 = 0
        /// The frame or window that the link names.
        var frameName: String?
        /// The URL of the page that is shown.
        var currentURL: String?

        /// Whether the session may load it, if it is one of the page and not of a frame in it.
        var isFollowed: Bool {
            guard isLink, isUserGesture, !isRedirect, method == "GET", mouseButton <= 1, modifiers == 0,
                ["", "_self", "_parent", "_top"].contains(frameName ?? ""),
                ["http:", "https:"].contains(where: { url.lowercased().hasPrefix($0) })
            else { return false }
            return !isJump
        }

        /// Whether it leads to a place in the page that is shown.
        private var isJump: Bool {
            guard let currentURL, url.contains("#") else { return false }
            return url.prefix { $0 != "#" } == currentURL.prefix { $0 != "#" }
        }
    }
#endif
