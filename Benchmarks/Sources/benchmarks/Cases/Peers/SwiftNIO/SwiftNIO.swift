#if Peers
import NIOCore
import NIOPosix

extension Peers {
    static let nio = nioBasics + nioMaps + nioTogether + nioContended + nioAwait + nioTimeouts

    /// The loop that every case runs on.
    static let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
}

extension Way {
    /// SwiftNIO's way, on its event loop: there its futures take no lock and never hop.
    init(onLoop body: @escaping @Sendable (_ count: Int) -> Void) {
        self.init(measuring: "SwiftNIO") { count in
            try! await Peers.loop.submit { Cost.of { body(count) } }.get()
        }
    }
}
#endif
