#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2

/// Sits between a stream of HTTP/2 and AsyncHTTPClient: says which requests the server has excluded, and
/// holds back the end of an answer that arrives before all of the request has been sent.
///
/// AsyncHTTPClient 1.37 releases the request at the answer's end, and ends the process if the stream fails
/// afterwards, as with nginx, which resets it (issue 922 of AsyncHTTPClient).
final class HTTP2StreamHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let connection: HTTP2ConnectionHandler
    /// Whether the end of the request has been sent.
    private var isSent = false
    /// The status of the answer; nil until its head has arrived.
    private var status: UInt?
    /// How many bytes of the answer's body have arrived.
    private var bodySize = 0
    /// The end of the answer, held back until the end of the request has been sent.
    private var earlyEnd: HTTPClientResponsePart?

    private init(_ connection: HTTP2ConnectionHandler) { self.connection = connection }

    /// Adds a handler to each stream of a client, and one to each connection.
    static func install(on configuration: inout HTTPClient.Configuration) {
        let next = configuration.http2ConnectionDebugInitializer
        configuration.http2ConnectionDebugInitializer = { channel in
            do {
                try HTTP2ConnectionHandler.install(on: channel)
            } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
            return next?(channel) ?? channel.eventLoop.makeSucceededVoidFuture()
        }
        configuration.http2StreamChannelDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let codec = try pipeline.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)
                guard let parent = channel.parent?.pipeline.syncOperations else { return }
                let connection = try parent.handler(type: HTTP2ConnectionHandler.self)
                try pipeline.addHandler(HTTP2StreamHandler(connection), position: .after(codec))
            }
        }
    }

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        if case .end = unwrapOutboundIn(data) { isSent = true }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        guard isSent, let end = earlyEnd.take() else { return }
        context.fireChannelRead(wrapInboundOut(end))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        switch part {
        case .head(let head):
            let code = head.status.code
            if code >= 200 || code == 101 { status = code }
        case .body(let bytes): bodySize += bytes.readableBytes
        case .end where isSent: break
        case .end where status ?? 0 >= 300:
            context.fireChannelRead(data)
            // AsyncHTTPClient sends no more of the request, and would leave the stream open.
            return context.close(promise: nil)
        case .end:
            earlyEnd = part
            return
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let end = earlyEnd.take() {
            if isSent { return context.fireChannelRead(wrapInboundOut(end)) }
            context.fireErrorCaught(AnsweredEarly(bodySize: bodySize, cause: error))
        } else if status == nil, let reason = exclusion(by: error) {
            context.fireErrorCaught(UnprocessedRequest(cause: error, reason: reason))
        } else {
            context.fireErrorCaught(error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if earlyEnd != nil {
            errorCaught(context: context, error: HTTPClientError.remoteConnectionClosed)
        }
        context.fireChannelInactive()
    }

    /// Why the server has not processed the stream's request; nil if it may have.
    private func exclusion(by error: any Error) -> UnprocessedRequest.Reason? {
        switch error {
        case let error as NIOHTTP2Errors.StreamError: return exclusion(by: error.baseError)
        case is NIOHTTP2Errors.CreatedStreamAfterGoaway: return .leaving
        case let error as NIOHTTP2Errors.StreamClosed:
            // SwiftNIO reports these streams as cancelled by the server.
            if let last = connection.last, error.streamID > last { return .leaving }
            let codes: [HTTP2ErrorCode] = [.refusedStream, .http11Required]
            return codes.contains(error.errorCode) ? .refused : nil
        default: return nil
        }
    }
}

/// The end of a stream whose answer is whole, although the request is not.
struct AnsweredEarly: Error {
    /// How many bytes the answer's body has.
    let bodySize: Int
    let cause: any Error
}

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
