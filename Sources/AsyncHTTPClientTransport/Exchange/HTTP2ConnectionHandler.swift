#if AsyncHTTPClient
import NIOCore
import NIOHTTP2

/// Sits above SwiftNIO's handler of an HTTP/2 connection: keeps the last stream that a leaving server
/// processes, and reads on where SwiftNIO stops.
///
/// After 200 resets within 30 s, SwiftNIO stops reading at each further one, and likewise at pings and
/// settings. nginx sends that many: one for each request that it answers before it has read all of it.
/// Answers that have arrived behind a reset would be read when more arrives, or never.
final class HTTP2ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame

    /// How often it reads on: more often than requests are under way.
    private static let maxStops = 256

    private let http2: NIOHTTP2Handler
    /// The last stream that the server processes; nil until the server says that it leaves.
    private(set) var last: HTTP2StreamID?
    private var openStreams = 0
    /// How often SwiftNIO has stopped reading.
    private var stops = 0

    private init(above http2: NIOHTTP2Handler) { self.http2 = http2 }

    /// Adds the handler to a connection.
    ///
    /// - Throws: SwiftNIO's error if the connection is not one over HTTP/2.
    static func install(on channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let http2 = try pipeline.handler(type: NIOHTTP2Handler.self)
        try pipeline.addHandler(HTTP2ConnectionHandler(above: http2), position: .after(http2))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .goAway(let last, _, _) = unwrapInboundIn(data).payload {
            self.last = min(self.last ?? last, last)
        }
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is NIOHTTP2StreamCreatedEvent: openStreams += 1
        case is StreamClosedEvent: openStreams -= 1
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(error)
        // Some of these types are missing in older versions of SwiftNIO's package.
        let name = "\(type(of: error))"
        let isStop = ["ExcessiveRSTFrames", "ExcessiveControlFrames"].contains(name)
        if isStop, stops < Self.maxStops {
            stops += 1
            if stops == 1 { retire(context) }
            readOn(context)
        } else if name.hasPrefix("Excessive") || error is NIOHTTP2Errors.UnableToParseFrame {
            context.close(promise: nil)
        }
    }

    /// Makes AsyncHTTPClient use another connection for the next requests, and close this one after its last
    /// answer.
    private func retire(_ context: ChannelHandlerContext) {
        guard openStreams > 0 else { return context.close(promise: nil) }
        let leaving = HTTP2Frame.FramePayload.goAway(
            lastStreamID: .maxID, errorCode: .noError, opaqueData: nil)
        context.fireChannelRead(
            wrapInboundOut(HTTP2Frame(streamID: .rootStream, payload: leaving)))
    }

    /// Makes SwiftNIO read what has arrived.
    private func readOn(_ context: ChannelHandlerContext) {
        // Not now, since SwiftNIO is still reading.
        context.eventLoop.assumeIsolated().execute { [http2] in
            guard context.channel.isActive,
                let below = try? context.pipeline.syncOperations.context(handler: http2)
            else { return }
            http2.channelRead(context: below, data: NIOAny(ByteBuffer()))
            http2.channelReadComplete(context: below)
        }
    }
}
#endif
