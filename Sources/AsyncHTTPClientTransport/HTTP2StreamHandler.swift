#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2

/// Stands between an HTTP/2 stream and AsyncHTTPClient.
///
/// It reports which requests the server has excluded. And if an answer with a status below 300 ends before the request
/// was sent completely, it holds back the answer's end. Otherwise AsyncHTTPClient 1.37 would release the request at
/// that point, and a later failure of the stream would end the process. That happens with nginx, which resets the
/// stream (issue 922 of AsyncHTTPClient).
final class HTTP2StreamHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let connection: HTTP2ConnectionHandler
    /// True if the end of the request was sent.
    private var isSent = false
    /// The answer's status; nil until its head has arrived.
    private var status: UInt?
    /// How many bytes of the answer's body have arrived.
    private var bodySize = 0
    /// The answer's end, while it waits for the request's end.
    private var earlyEnd: HTTPClientResponsePart?

    private init(_ connection: HTTP2ConnectionHandler) { self.connection = connection }

    /// Adds handlers to each stream and each connection of a client.
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
            // AsyncHTTPClient stops sending, but would leave the stream open.
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

    /// Why the request wasn't processed; nil if the server may have processed it.
    private func exclusion(by error: any Error) -> UnprocessedRequest.Reason? {
        switch error {
        case let error as NIOHTTP2Errors.StreamError: return exclusion(by: error.baseError)
        case is NIOHTTP2Errors.CreatedStreamAfterGoaway: return .leaving
        case let error as NIOHTTP2Errors.StreamClosed:
            // SwiftNIO reports such a stream as cancelled by the server.
            if let last = connection.last, error.streamID > last { return .leaving }
            let codes: [HTTP2ErrorCode] = [.refusedStream, .http11Required]
            return codes.contains(error.errorCode) ? .refused : nil
        default: return nil
        }
    }
}

/// A stream ended with a whole answer before the request was sent completely.
struct AnsweredEarly: Error {
    let bodySize: Int
    let cause: any Error
}

/// Handles an HTTP/2 connection, above SwiftNIO's own handler.
///
/// When a server leaves, it remembers the last stream that the server processes. And when SwiftNIO stops reading, it
/// makes SwiftNIO read on.
///
/// After 200 resets within 30 s, SwiftNIO stops reading at each further one; the same goes for pings and settings.
/// nginx may send so many, because it resets each request that it answers before reading all of it. Without this
/// handler, an answer after such a reset would be read only when more bytes arrive, or never.
final class HTTP2ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame

    /// How many stops to tolerate, more than there are running requests; the next one closes the connection.
    private static let maxStops = 256

    private let http2: NIOHTTP2Handler
    /// The last stream that a leaving server processes.
    private(set) var last: HTTP2StreamID?
    private var openStreams = 0
    /// How often SwiftNIO has stopped reading.
    private var stops = 0

    private init(above http2: NIOHTTP2Handler) { self.http2 = http2 }

    /// Throws SwiftNIO's error if the connection doesn't use HTTP/2.
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
        // By name, because older versions of SwiftNIO lack some of these types.
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

    /// Has AsyncHTTPClient send no more requests on the connection, and close it after its last answer.
    private func retire(_ context: ChannelHandlerContext) {
        guard openStreams > 0 else { return context.close(promise: nil) }
        let leaving = HTTP2Frame.FramePayload.goAway(
            lastStreamID: .maxID, errorCode: .noError, opaqueData: nil)
        context.fireChannelRead(
            wrapInboundOut(HTTP2Frame(streamID: .rootStream, payload: leaving)))
    }

    private func readOn(_ context: ChannelHandlerContext) {
        // Later, because SwiftNIO is still reading.
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
