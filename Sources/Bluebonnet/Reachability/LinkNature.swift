import FoundationEssentials
import Synchronization

/// The kind of a link, and whether it costs money.
struct LinkNature: Sendable, Hashable {
    var kind: NetworkPath.InterfaceKind
    var isExpensive = false

    /// The status of a path over the link.
    var status: NetworkReachabilityStatus {
        switch kind {
        case .cellular: .reachableViaWWAN
        case .wifi: .reachableViaWiFi
        case .ethernet: .reachableViaEthernet
        default: .reachableViaOther
        }
    }

    /// A folder of the kernel's about each network interface.
    struct Folder: Sendable {
        /// Returns the text of a file below the folder of an interface; nil where there is none.
        var text: @Sendable (_ interface: String, _ file: String) -> String?
        /// Whether there is a file or a folder of this name.
        var has: @Sendable (_ interface: String, _ file: String) -> Bool
        /// Returns the name of what a link of the file system leads to.
        var target: @Sendable (_ interface: String, _ link: String) -> String?

        /// `/sys/class/net`.
        static let system = Folder(
            text: { interface, file in
                (try? Data(contentsOf: URL(filePath: "/sys/class/net/\(interface)/\(file)")))
                    .map { String(decoding: $0, as: UTF8.self) }
            },
            has: { interface, file in
                FileManager.default.fileExists(atPath: "/sys/class/net/\(interface)/\(file)")
            },
            target: { interface, link in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/sys/class/net/\(interface)/\(link)"))
                    .flatMap { $0.split(separator: "/").last.map(String.init) }
            }
        )
    }

    init(kind: NetworkPath.InterfaceKind, isExpensive: Bool = false) {
        (self.kind, self.isExpensive) = (kind, isExpensive)
    }

    /// Finds out about a link.
    ///
    /// - Parameters:
    ///   - link: The link.
    ///   - folder: What the kernel shows of it.
    init(_ link: NetworkLink, reading folder: Folder) {
        // A process may see the folder of another network namespace than its own, which may have an
        // interface of the same name.
        let isShown =
            !link.name.isEmpty && !link.name.contains("/") && !link.name.hasPrefix(".")
            && folder.text(link.name, "ifindex").flatMap { Int32(Self.word($0)) } == link.index
        guard isShown else {
            self.init(kind: Self.kind(link))
            return
        }
        let type = folder.text(link.name, "uevent")?.split(separator: "\n").first { $0.hasPrefix("DEVTYPE=") }
            .map { Self.word(String($0.dropFirst("DEVTYPE=".count))) }
        let driver = folder.target(link.name, "device/driver")
        if type == "wwan" || driver.map(Self.modemDrivers.contains) == true {
            self.init(kind: .cellular, isExpensive: true)
        } else if type == "wlan" || folder.has(link.name, "wireless") || folder.has(link.name, "phy80211") {
            self.init(kind: .wifi)
        } else if type == "bluetooth" {
            self.init(kind: .other, isExpensive: true)
        } else {
            // A telephone that is connected by USB shares its own connection. cdc_ncm and cdc_ether
            // are not among them: docking stations with a cable have them, too.
            self.init(kind: Self.kind(link), isExpensive: driver.map(Self.telephoneDrivers.contains) == true)
        }
    }

    private static let modemDrivers: Set<String> = ["qmi_wwan", "cdc_mbim", "huawei_cdc_ncm", "sierra_net", "hso"]
    private static let telephoneDrivers: Set<String> = ["rndis_host", "ipheth"]

    private static func word(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
    }

    /// The kind by what the message says alone.
    private static func kind(_ link: NetworkLink) -> NetworkPath.InterfaceKind {
        if link.isLoopback { return .loopback }
        return switch link.hardwareType {
        // ARPHRD_ETHER
        case 1: link.name.hasPrefix("wwan") ? .cellular : .ethernet
        // ARPHRD_IEEE80211 and its variants
        case 801...803: .wifi
        // ARPHRD_RAWIP, as modems have it
        case 519 where link.name.hasPrefix("wwan") || link.name.hasPrefix("rmnet"): .cellular
        default: .other
        }
    }
}

/// What was found out about links, which is asked of the file system once for each, however often
/// all links are read.
final class KnownNatures: Sendable {
    private struct Known {
        let name: String
        let nature: LinkNature
    }

    private struct State {
        var present: [Int32: Known] = [:]
        /// Those of the reading before.
        var earlier: [Int32: Known] = [:]
    }

    private let find: @Sendable (NetworkLink) -> LinkNature
    private let state = Mutex(State())

    init(_ find: @escaping @Sendable (NetworkLink) -> LinkNature = { LinkNature($0, reading: .system) }) {
        self.find = find
    }

    /// All links are going to be read: those that are not found again are forgotten at the next
    /// reading.
    func beginReading() {
        state.withLock { $0 = State(earlier: $0.present) }
    }

    /// The nature of a link. Under another name it is found out again.
    func nature(of link: NetworkLink) -> LinkNature {
        state.withLock { state in
            let known = [state.present[link.index], state.earlier[link.index]].first { $0?.name == link.name } ?? nil
            let nature = known?.nature ?? find(link)
            state.present[link.index] = Known(name: link.name, nature: nature)
            return nature
        }
    }
}
