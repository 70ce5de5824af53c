import Testing

@testable import BluebonnetCommand

@Suite struct HomeFolderTests {
    @Test(arguments: [
        ("~", "/home/ada"), ("~/a b", "/home/ada/a b"), ("a/~", "a/~"), ("./~", "./~"), ("~ada/x", "~ada/x"), ("", ""),
    ])
    func `the home folder stands for a tilde at the beginning of a path`(path: String, expanded: String) {
        #expect(HomeFolder.expanded(path, home: "/home/ada") == expanded)
    }

    @Test(arguments: [nil, ""])
    func `without a home folder a tilde is a name`(home: String?) {
        #expect(HomeFolder.expanded("~/a", home: home) == "~/a")
    }
}
