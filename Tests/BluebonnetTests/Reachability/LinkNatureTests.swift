import Synchronization
import Testing

@testable import Bluebonnet

@Suite struct LinkNatureTests {
    /// What a test shows of the interface `x0` with the index 4.
    private func folder(_ texts: [String: String], _ others: Set<String> = [], driver: String? = nil)
        -> LinkNature.Folder
    {
        LinkNature.Folder(
            text: { interface, file in interface == "x0" ? texts[file] : nil },
            has: { interface, file in interface == "x0" && others.contains(file) },
            target: { _, link in link == "device/driver" ? driver : nil }
        )
    }

    private func nature(_ folder: LinkNature.Folder, _ hardwareType: UInt16 = 1, name: String = "x0") -> LinkNature {
        LinkNature(NetworkLink(index: 4, name: name, hardwareType: hardwareType, flags: 0x43), reading: folder)
    }

    @Test func `wireless networks are told by their files`() {
        let index = ["ifindex": "4\n"]
        #expect(nature(folder(index, ["wireless"])) == LinkNature(kind: .wifi))
        #expect(nature(folder(index, ["phy80211"])) == LinkNature(kind: .wifi))
        #expect(
            nature(folder(["ifindex": "4\n", "uevent": "DEVTYPE=wlan\nINTERFACE=x0\n"])) == LinkNature(kind: .wifi)
        )
    }

    @Test func `modems are cellular, and cost money`() {
        let cellular = LinkNature(kind: .cellular, isExpensive: true)
        #expect(nature(folder(["ifindex": "4\n", "uevent": "INTERFACE=x0\nDEVTYPE=wwan\n"]), 519) == cellular)
        #expect(nature(folder(["ifindex": "4"], driver: "qmi_wwan")) == cellular)
    }

    @Test func `a telephone that shares its connection costs money`() {
        #expect(
            nature(folder(["ifindex": "4"], driver: "rndis_host")) == LinkNature(kind: .ethernet, isExpensive: true)
        )
        #expect(
            nature(folder(["ifindex": "4", "uevent": "DEVTYPE=bluetooth\n"]))
                == LinkNature(kind: .other, isExpensive: true)
        )
    }

    @Test func `other links are told by their kind`() {
        #expect(nature(folder(["ifindex": "4"])) == LinkNature(kind: .ethernet))
        #expect(nature(folder(["ifindex": "4"]), 65534) == LinkNature(kind: .other))
        #expect(nature(folder(["ifindex": "4"], driver: "e1000e")) == LinkNature(kind: .ethernet))
    }

    @Test func `the folder of another interface of the same name is not believed`() {
        #expect(nature(folder(["ifindex": "5\n"], ["wireless"])) == LinkNature(kind: .ethernet))
    }

    @Test(arguments: ["../x0", ".", "", "a/b"])
    func `a name that is no file name is not read`(name: String) {
        let folder = LinkNature.Folder(text: { _, _ in "4" }, has: { _, _ in true }, target: { _, _ in nil })
        #expect(nature(folder, name: name) == LinkNature(kind: .ethernet))
    }

    @Test func `the nature of a link is asked for once, however often all links are read`() {
        let asked = Mutex(0)
        let natures = KnownNatures { _ in
            asked.withLock { $0 += 1 }
            return LinkNature(kind: .wifi)
        }
        let link = NetworkLink(index: 4, name: "x0", hardwareType: 1, flags: 0x43)
        for _ in 0..<3 {
            natures.beginReading()
            #expect(natures.nature(of: link) == LinkNature(kind: .wifi))
        }
        #expect(asked.withLock { $0 } == 1)
        var other = link
        other.name = "x1"
        _ = natures.nature(of: other)
        #expect(asked.withLock { $0 } == 2)
        // One that was not found by a reading is forgotten.
        natures.beginReading()
        natures.beginReading()
        _ = natures.nature(of: other)
        #expect(asked.withLock { $0 } == 3)
    }
}
