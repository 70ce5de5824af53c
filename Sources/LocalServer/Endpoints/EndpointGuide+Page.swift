/// The page in HTML: it needs nothing but itself, and is read on dark and light backgrounds and on
/// narrow windows.
extension EndpointGuide {
    /// The page.
    static let page: String = {
        let links = sections.enumerated().map { "<a href=\"#s\($0)\">\(escaped($1.title))</a>" }
        let content = sections.enumerated().map { number, section in
            """
            <section id="s\(number)">
            <h2>\(escaped(section.title))</h2>
            <ul>
            \(section.entries.map(row).joined())</ul>
            </section>

            """
        }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>bluebonnet serve</title>
            <link rel="icon" href="data:image/svg+xml,\(icon)">
            <style>
            \(style)
            </style>
            </head>
            <body>
            <header>
            <h1>bluebonnet serve</h1>
            <p>A server to try HTTP clients on. <code><var>:name</var></code> is a part of the path to fill in;
            what follows <code>?</code> may be left out. HEAD is accepted where GET is, and OPTIONS everywhere.</p>
            <pre>bluebonnet <b class="here">:8080</b>/get
            bluebonnet <b class="here">:8080</b>/post name=Ada
            curl <b class="here">localhost:8080</b>/json</pre>
            </header>
            <nav>
            \(links.joined(separator: "\n"))
            </nav>
            <main>
            \(content.joined())</main>
            <dialog><h2></h2><pre></pre><form method="dialog"><button autofocus>Close</button></form></dialog>
            <script>
            \(script)
            </script>
            </body>
            </html>

            """
    }()

    /// An endpoint. A browser can open GET alone; the script sends what the others need.
    private static func row(_ entry: Entry) -> String {
        let methods = entry.method?.split(separator: ",").map { $0.drop { $0 == " " } } ?? ["any"]
        let marks = methods.map { "<b class=\"\($0.lowercased())\">\($0)</b>" }
        let target = entry.example ?? entry.path + (entry.query.map { "?" + $0 } ?? "")
        var sent = ""
        if let first = methods.first, first != "GET", first != "any" {
            sent = " data-method=\"\(first)\""
            if let body = entry.body { sent += " data-body=\"\(escaped(body))\"" }
        }
        if entry.path == "websocket" { sent = " data-method=\"websocket\"" }
        return """
            <li><span>\(marks.joined(separator: " "))</span>
            <a href="/\(escaped(target))"\(sent)><code>\(path(of: entry))</code></a>
            <p>\(escaped(entry.text))</p></li>

            """
    }

    /// The path, with marks for its parameters, and places where the line may break.
    private static func path(of entry: Entry) -> String {
        let segments = entry.path.replacing("**", with: "…").split(separator: "/").map { segment in
            segment.hasPrefix(":") ? "<var>\(escaped(String(segment)))</var>" : escaped(String(segment))
        }
        let parameters = entry.query?.split(separator: "&").map { escaped(String($0)) } ?? []
        let query = parameters.isEmpty ? "" : "<wbr><i>?\(parameters.joined(separator: "<wbr>&amp;"))</i>"
        return "/" + segments.joined(separator: "<wbr>/") + query
    }

    /// The text for HTML, also in attributes.
    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }

    private static let icon =
        "%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cg fill='%233d5bd9'%3E%3Ccircle cx='8' cy='4' "
        + "r='3'/%3E%3Ccircle cx='4' cy='8' r='3'/%3E%3Ccircle cx='12' cy='8' r='3'/%3E%3Ccircle cx='8' cy='12' r='3'/%3E"
        + "%3C/g%3E%3Ccircle cx='8' cy='8' r='2' fill='white'/%3E%3C/svg%3E"

    private static let style = """
        :root {
          color-scheme: light dark;
          --text: #1c2033; --soft: #59607a; --line: #dfe3ee; --back: #ffffff; --raised: #f4f6fc;
          --blue: #2f4ac4; --green: #18703f; --brown: #8a5200; --red: #b3261e;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --text: #e6e8f2; --soft: #a0a7c0; --line: #2c3247; --back: #131722; --raised: #1b2030;
            --blue: #9db1ff; --green: #7fd6a4; --brown: #f0b763; --red: #ff9e94;
          }
        }
        * { box-sizing: border-box; margin: 0; }
        body {
          font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back);
          max-width: 76rem; margin: 0 auto; padding: 2.5rem 1.5rem 4rem;
          display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 2rem 3rem;
        }
        header { grid-column: 1 / -1; }
        header p { max-width: 46rem; color: var(--soft); margin: .5rem 0 1.25rem; }
        h1 { font-size: 1.75rem; line-height: 1.2; }
        h2 { font-size: 1.125rem; }
        code, pre { font: 0.9375rem/1.5 ui-monospace, monospace; }
        pre { background: var(--raised); border: 1px solid var(--line); border-radius: 8px; padding: .75rem 1rem;
          overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
        pre b { font-weight: inherit; color: var(--blue); }
        nav { position: sticky; top: 1.5rem; align-self: start; display: flex; flex-direction: column; gap: .5rem; }
        a { color: var(--blue); text-decoration: none; }
        a:hover, a:focus-visible { text-decoration: underline; }
        section { margin-bottom: 2.5rem; scroll-margin-top: 1rem; }
        ul { list-style: none; padding: 0; margin-top: .5rem; }
        li { display: grid; grid-template-columns: 6rem minmax(0, 5fr) minmax(0, 6fr); gap: .25rem 1.25rem;
          padding: .375rem 0; border-top: 1px solid var(--line); align-items: baseline; }
        li p { color: var(--soft); }
        li b { font-size: .75rem; letter-spacing: .03em; color: var(--soft); }
        b.get { color: var(--blue); } b.post { color: var(--green); } b.delete { color: var(--red); }
        b.put, b.patch { color: var(--brown); }
        li code { white-space: nowrap; }
        wbr { white-space: normal; }
        var { color: var(--brown); font-style: normal; }
        i { color: var(--soft); font-style: normal; }
        dialog { margin: auto; width: min(48rem, 100% - 2rem); color: inherit; background: var(--back);
          border: 1px solid var(--line); border-radius: 12px; padding: 1.25rem; }
        dialog::backdrop { background: #0008; }
        dialog pre { margin: .75rem 0; max-height: 60vh; }
        button { font: inherit; color: var(--back); background: var(--blue); border: 0; border-radius: 6px;
          padding: .25rem 1rem; }
        @media (max-width: 60rem) {
          body { display: block; padding: 1.5rem 1rem 3rem; }
          nav { position: static; flex-flow: row wrap; gap: .25rem 1.25rem; margin: 1.5rem 0 2rem; }
        }
        @media (max-width: 46rem) {
          li { grid-template-columns: 4.5rem minmax(0, 1fr); gap: 0 .75rem; }
          li p { grid-column: 2; }
        }
        """

    private static let script = """
        for (const part of document.querySelectorAll(".here")) part.textContent = location.host;
        const dialog = document.querySelector("dialog");
        function show(title, text) {
          dialog.querySelector("h2").textContent = title;
          dialog.querySelector("pre").textContent = text;
          if (!dialog.open) dialog.showModal();
        }
        async function send(method, url, body) {
          const type = body?.startsWith("{") ? "application/json" : "application/x-www-form-urlencoded";
          const response = await fetch(url, { method, body, headers: body ? { "Content-Type": type } : {} });
          show(`${method} ${new URL(url).pathname}: ${response.status} ${response.statusText}`, await response.text());
        }
        function talk(url) {
          const socket = new WebSocket(url.replace("http", "ws"));
          socket.onopen = () => socket.send("Hello");
          socket.onmessage = (message) => {
            show("WebSocket /websocket", `sent:     Hello\\nreceived: ${message.data}`);
            socket.close();
          };
          socket.onerror = () => show("WebSocket /websocket", "It could not be opened.");
        }
        document.querySelector("main").addEventListener("click", (event) => {
          const link = event.target.closest("a[data-method]");
          if (!link) return;
          event.preventDefault();
          const { method, body } = link.dataset;
          if (method == "websocket") talk(link.href);
          else send(method, link.href, body).catch((error) => show(`${method} failed`, String(error)));
        });
        """
}
